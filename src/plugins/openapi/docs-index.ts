// The indexes of the viewers. /docs has a link to each operation: Swagger UI draws only those that are on the screen, so the search of a browser finds
// the others here. /reference has their names until Scalar has drawn.
import { html, type SafeHtml } from '@remix-run/html-template'

type Described = { operationId?: string; summary?: string; tags?: string[] }
type Document = { paths?: Record<string, Record<string, Described>>; tags?: { name: string }[]; webhooks?: object }
type Entry = { tag: string; id: string; method: string; path: string; summary: string }

export function docsIndex(document: object): string {
  const { webhooks = {} }: Document = document
  const sections = listSections(document).map(({ name, entries }) => section(name, entries))
  return String(html`<nav class="operations-index" aria-label="Operations">
<details open>
<summary>All operations</summary>
<p><a href="/reference">The reference, to read</a></p>
<ul>
${sections}
<li><a href="#webhooks">Webhook events</a><ul>${Object.keys(webhooks).map((name) => html`<li><a href="#webhooks">${name}</a></li>`)}</ul></li>
</ul>
</details>
</nav>`)
}

/** Names alone, because Scalar reads the address as it starts, and has its own links a second later. */
export function referenceIndex(document: object): string {
  const sections = listSections(document).map(
    ({ name, entries }) => html`<li>
${name}
<ul>
${entries.map(({ method, path, summary }) => html`<li>${summary} <small>${method} ${path}</small></li>\n`)}</ul>
</li>
`,
  )
  return String(html`<div class="operations-index">
<h1>All operations</h1>
<ul>
${sections}
</ul>
</div>`)
}

function listSections({ paths = {}, tags = [] }: Document): { name: string; entries: Entry[] }[] {
  const entries = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, described]) => toEntry(method, path, described)),
  )
  return tags.map(({ name }) => ({ name, entries: entries.filter(({ tag }) => tag === name) }))
}

const toEntry = (method: string, path: string, { operationId = '', summary = '', tags: [tag = ''] = [] }: Described): Entry => ({
  tag,
  id: operationId,
  method: method.toUpperCase(),
  path,
  summary,
})

/** The addresses are those of Swagger UI (`deepLinking`). */
const section = (name: string, entries: Entry[]): SafeHtml => html`<li>
<a href="#/${encodeURIComponent(name)}">${name}</a>
<ul>
${entries.map(
  ({ id, method, path, summary }) =>
    html`<li><a href="#/${encodeURIComponent(name)}/${id}" title="${summary}">${summary} <small>${method} ${path}</small></a></li>\n`,
)}</ul>
</li>
`
