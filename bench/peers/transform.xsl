<xsl:stylesheet version="3.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:xs="http://www.w3.org/2001/XMLSchema"
  xmlns:map="http://www.w3.org/2005/xpath-functions/map" exclude-result-prefixes="#all">
  <xsl:output method="json"/>
  <xsl:template match="/">
    <xsl:sequence select="array { for $o in Orders/Order[@status = 'shipped'] return
      let $its := $o/Items/Item[xs:double(@quantity) gt 0] return map {
        'invoiceId': 'INV-' || $o/@id, 'customer': upper-case($o/Customer/Name), 'email': lower-case($o/Customer/Email),
        'lines': array { for $i in $its return map { 'sku': string($i/Sku), 'total': xs:double($i/@price) * xs:double($i/@quantity) } },
        'total': sum(for $i in $its return xs:double($i/@price) * xs:double($i/@quantity)),
        'byCategory': map:merge(for $c in distinct-values($its/@category) return map:entry($c,
          sum(for $i in $its[@category = $c] return xs:double($i/@price) * xs:double($i/@quantity)))) } }"/>
  </xsl:template>
</xsl:stylesheet>
