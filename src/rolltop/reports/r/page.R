# The page of the fast engine: its template, its looks in light and dark, and the colours of R code. pandoc's own
# highlighting costs more than the whole conversion; R's few kinds of words are found by one expression.

colour_code <- function(page) {
  html <- readChar(page, file.size(page), useBytes = TRUE)
  blocks <- gregexpr('(?s)<pre class="(?:sourceCode )?r"><code>.*?</code></pre>', html, perl = TRUE, useBytes = TRUE)
  found <- regmatches(html, blocks)[[1]]
  if (!length(found)) return(invisible())
  regmatches(html, blocks) <- list(vapply(found, coloured, ""))
  writeBin(charToRaw(html), page)
}

r_words <- paste0(
  "(?<comment>#[^\n]*)|(?<text>&quot;(?:[^&\\\\\n]|\\\\.|&(?!quot;))*&quot;|&#39;(?:[^&\\\\\n]|\\\\.|&(?!#39;))*&#39;|'(?:[^'\\\\\n]|\\\\.)*')",
  "|(?<entity>&#?\\w+;)|(?<word>\\b(?:function|if|else|for|while|repeat|break|next|return|in|library|require)\\b)",
  "|(?<number>\\b(?:TRUE|FALSE|NULL|NA|NaN|Inf|0x[0-9A-Fa-f]+|[0-9]+(?:\\.[0-9]+)?(?:e[+-]?[0-9]+)?L?)\\b)",
  "|(?<call>[A-Za-z.][\\w.]*(?=\\())"
)

marks_of <- c(comment = "k", text = "t", word = "w", number = "n", call = "c")

coloured <- function(block) {
  found <- gregexpr(r_words, block, perl = TRUE, useBytes = TRUE)
  if (found[[1]][[1]] < 0) return(block)
  starts <- attr(found[[1]], "capture.start")
  kinds <- colnames(starts)[max.col(starts > 0, ties.method = "first")]
  words <- regmatches(block, found)[[1]]
  marked <- !(kinds %in% c("entity")) & as.integer(found[[1]]) > nchar('<pre class="r"><code>')
  words[marked] <- paste0('<span class="', marks_of[kinds[marked]], '">', words[marked], "</span>")
  regmatches(block, found) <- list(words)
  block
}

page_lines <- c(
  "<!DOCTYPE html>", '<html lang="$if(lang)$$lang$$else$en$endif$">', "<head>", '<meta charset="utf-8">',
  paste0('<meta http-equiv="Content-Security-Policy" content="', page_policy, '">'),
  '<meta name="viewport" content="width=device-width, initial-scale=1">',
  '<meta name="color-scheme" content="light dark">', "<title>$pagetitle$</title>",
  "<style>",
  ":root{--ink:#1f2328;--soft:#59636e;--paper:#fff;--shade:#f6f8fa;--line:#d9dee4;--link:#0a58ca;--word:#a1238e;",
  "--text:#0b6b3a;--number:#8a4b00;--call:#1f4fa8;--comment:#66707b}",
  "@media (prefers-color-scheme:dark){:root{--ink:#e4e8ec;--soft:#9aa5b1;--paper:#15181c;--shade:#1e2329;--line:#363d46;",
  "--link:#79b0ff;--word:#e894d8;--text:#86d6a4;--number:#e9b872;--call:#93bdff;--comment:#8b96a2}",
  "img{background:#fff;border-radius:4px}}",
  "body{max-width:52rem;margin:2.5rem auto;padding:0 1.25rem;font:16px/1.6 system-ui,sans-serif;color:var(--ink);",
  "background:var(--paper)}a{color:var(--link)}h1,h2,h3,h4{line-height:1.25;margin:2em 0 .6em}h1{font-size:1.9rem}",
  "h2{font-size:1.45rem;padding-bottom:.25em;border-bottom:1px solid var(--line)}h3{font-size:1.15rem}",
  "h1.title{margin:.2em 0}.subtitle,.author,.date{margin:.15em 0;color:var(--soft)}.date{margin-bottom:2em}",
  ".abstract{margin:1.5em 0;padding:.2em 1.2em;border-left:3px solid var(--line);font-size:.95em}",
  "blockquote{margin:1.2em 0;padding:.1em 1.2em;border-left:4px solid var(--line);color:var(--soft)}",
  "pre,code{font:14px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}",
  "pre{background:var(--shade);border:1px solid var(--line);border-radius:6px;padding:.7rem .9rem;overflow-x:auto}",
  "pre:not([class]){background:none;border-style:dashed}",
  ":not(pre)>code{background:var(--shade);border-radius:4px;padding:.1em .3em;font-size:.9em}",
  "pre .c{color:var(--call)}pre .w{color:var(--word)}pre .t{color:var(--text)}pre .n{color:var(--number)}",
  "pre .k{color:var(--comment);font-style:italic}",
  "img{max-width:100%;height:auto}figure{margin:1.5em 0;text-align:center}",
  "figcaption,caption,p.caption{color:var(--soft);font-size:.92em;margin:.5em 0;text-align:center}",
  "table{border-collapse:collapse;margin:1.2em auto;font-variant-numeric:tabular-nums;display:block;max-width:max-content;",
  "overflow-x:auto}th{border-bottom:2px solid var(--line);text-align:left}td,th{padding:.35rem .75rem}",
  "td{border-bottom:1px solid var(--line)}hr{border:0;border-top:1px solid var(--line);margin:2em 0}",
  "@media print{body{max-width:none;margin:0}pre{white-space:pre-wrap}}",
  "</style>", "</head>", "<body>",
  '$if(title)$<h1 class="title">$title$</h1>$endif$', '$if(subtitle)$<p class="subtitle">$subtitle$</p>$endif$',
  '$for(author)$<p class="author">$author$</p>$endfor$', '$if(date)$<p class="date">$date$</p>$endif$',
  '$if(abstract)$<div class="abstract">$abstract$</div>$endif$', "$body$", "</body>", "</html>"
)
