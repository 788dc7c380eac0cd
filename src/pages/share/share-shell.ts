// What all pages under /share have in common.
import { html, type SafeHtml } from '@remix-run/html-template'

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

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --paper: #f3f5f8; --sheet: #fff; --line: #d9dee5; --soft: #5b6675; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebf0; --paper: #14181e; --sheet: #1d232b; --line: #333c48; --soft: #9aa5b4; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
header, main { width: 100%; max-width: 52rem; margin: 0 auto; padding: 0 1rem 1rem; }
header { padding-top: clamp(1rem, 4vw, 2.5rem); }
h1 { font-size: clamp(1.25rem, 4vw, 1.6rem); line-height: 1.25; margin: 0 0 .75rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .15rem 1rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
main { flex: 1; display: flex; flex-direction: column; gap: .75rem; }
iframe, pre.text { border: 1px solid var(--line); border-radius: .5rem; }
iframe { flex: 1; min-height: 60vh; width: 100%; background: #fff; color-scheme: light; }
pre.text { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; padding: clamp(.75rem, 3vw, 1.5rem); background: var(--sheet); font: inherit; tab-size: 4; }
.note { margin: 0; color: var(--soft); font-size: .875rem; }
main.notice { justify-content: center; text-align: center; padding-top: 1rem; }
.notice h1, .notice p { margin: 0; }
`
