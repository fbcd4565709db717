<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:exsl="http://exslt.org/common">
  <xsl:output method="text" encoding="UTF-8"/>
  <xsl:key name="kind" match="Item[@quantity &gt; 0]" use="concat(generate-id(../..), '|', @category)"/>
  <xsl:variable name="small" select="'abcdefghijklmnopqrstuvwxyz'"/>
  <xsl:variable name="capital" select="'ABCDEFGHIJKLMNOPQRSTUVWXYZ'"/>
  <xsl:template match="/">
    <xsl:text>[</xsl:text>
    <xsl:for-each select="Orders/Order[@status = 'shipped']">
      <xsl:if test="position() &gt; 1">,</xsl:if>
      <xsl:variable name="order" select="generate-id()"/>
      <xsl:variable name="items" select="Items/Item[@quantity &gt; 0]"/>
      <xsl:text>{"invoiceId":"INV-</xsl:text><xsl:value-of select="@id"/>
      <xsl:text>","customer":"</xsl:text><xsl:value-of select="translate(Customer/Name, $small, $capital)"/>
      <xsl:text>","email":"</xsl:text><xsl:value-of select="translate(Customer/Email, $capital, $small)"/>
      <xsl:text>","lines":[</xsl:text>
      <xsl:for-each select="$items">
        <xsl:if test="position() &gt; 1">,</xsl:if>
        <xsl:text>{"sku":"</xsl:text><xsl:value-of select="Sku"/>
        <xsl:text>","total":</xsl:text><xsl:value-of select="@price * @quantity"/><xsl:text>}</xsl:text>
      </xsl:for-each>
      <xsl:text>],"total":</xsl:text>
      <xsl:call-template name="sum"><xsl:with-param name="items" select="$items"/></xsl:call-template>
      <xsl:text>,"byCategory":{</xsl:text>
      <xsl:for-each select="$items[generate-id() = generate-id(key('kind', concat($order, '|', @category))[1])]">
        <xsl:if test="position() &gt; 1">,</xsl:if>
        <xsl:text>"</xsl:text><xsl:value-of select="@category"/><xsl:text>":</xsl:text>
        <xsl:call-template name="sum">
          <xsl:with-param name="items" select="key('kind', concat($order, '|', @category))"/>
        </xsl:call-template>
      </xsl:for-each>
      <xsl:text>}}</xsl:text>
    </xsl:for-each>
    <xsl:text>]</xsl:text>
  </xsl:template>
  <xsl:template name="sum">
    <xsl:param name="items"/>
    <xsl:variable name="products">
      <xsl:for-each select="$items"><n><xsl:value-of select="@price * @quantity"/></n></xsl:for-each>
    </xsl:variable>
    <xsl:value-of select="sum(exsl:node-set($products)/n)"/>
  </xsl:template>
</xsl:stylesheet>
