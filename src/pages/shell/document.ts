// The base of every page: a document that fits on a phone and that search engines ignore.
import { html, type SafeHtml } from '@remix-run/html-template'

export type PageDocument = {
  language?: string
  title: string
  /** As data, because a browser would ask the API for /favicon.ico otherwise. */
  icon?: string
  /** The styles and scripts of the page. */
  head: SafeHtml | SafeHtml[]
  body: SafeHtml
}

export const pageDocument = ({ language = 'en', title, icon = 'data:,', head, body }: PageDocument): string =>
  String(html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="${icon}">
${head}
</head>
<body>
${body}
</body>
</html>`)
