// The index of /docs: a link to each operation. Swagger UI draws only those that are on the screen, so the search of a browser finds the others here.
import { html, type SafeHtml } from '@remix-run/html-template'

type Described = { operationId?: string; summary?: string; tags?: string[] }
type Document = { paths?: Record<string, Record<string, Described>>; tags?: { name: string }[]; webhooks?: object }
type Entry = { tag: string; id: string; method: string; path: string; summary: string }

export function docsIndex(document: object): string {
  const { paths = {}, tags = [], webhooks = {} }: Document = document
  const entries = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, described]) => entryOf(method, path, described)),
  )
  const sections = tags.map(({ name }) =>
    section(
      name,
      entries.filter(({ tag }) => tag === name),
    ),
  )
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

const entryOf = (method: string, path: string, { operationId = '', summary = '', tags: [tag = ''] = [] }: Described): Entry => ({
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
