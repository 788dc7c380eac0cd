// What all pages under /share have in common.
import { html, type SafeHtml } from '@remix-run/html-template'
import { readSourceFile } from '../../lib/source-files.ts'
import { FRAME_STYLE } from '../frame/email-frame.ts'
import { COMMON_STYLE } from '../shell/page-files.ts'

/** In the page itself, which a stranger opens once: it needs nothing of ours but its own address. */
const STYLE = COMMON_STYLE + FRAME_STYLE + readSourceFile('share.css', import.meta)

export const shell = (title: string, body: SafeHtml): string =>
  String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${html.raw`${STYLE}`}</style>
</head>
<body>${body}</body>
</html>`)
