// One API key: what it may do, when it was used, its name, and how it is deleted.
import { html } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import { consolePage } from '../shell/console-page.ts'
import { type FormProblem, problemNote } from '../shell/form-problem.ts'
import { keyName } from '../shell/senders.ts'
import { ADDRESS, domainWords, keyAddress, lastUse, permissionWords, type ShownKey } from './key-words.ts'
import { nameField } from './list-page.ts'

export type KeyView = {
  teamName: string
  now: Date
  key: ShownKey
  /** What was typed as its name; the name itself at first. */
  typedName: string
  problem: FormProblem | null
  /** What was done last, in a sentence. */
  note: string
}

export function keyPage({ teamName, now, key, typedName, problem, note }: KeyView): string {
  const address = keyAddress(key)
  const domain = domainWords(key)
  return consolePage({
    title: keyName(key),
    section: ADDRESS,
    teamName,
    main: html`<div class="head"><p><a href="${ADDRESS}">← All API keys</a></p><p class="note" role="status">${note}</p></div>
<article class="sheet parts">
<h1><bdi>${keyName(key)}</bdi></h1>
<dl><dt>May</dt><dd>${permissionWords(key)}${domain === null ? '' : html`, from ${domain}`}</dd>
<dt>Last used</dt><dd>${lastUse(key, now)}</dd>
<dt>Created</dt><dd>${timeElement(key.createdAt, now)}</dd>
<dt>Id</dt><dd class="code">${key.id}</dd></dl>
<p><a href="/console/logs?key=${key.id}">Its requests in the logs</a></p>
</article>
<section class="sheet parts"><h2>Rename</h2>
<form class="fields" method="post" action="${address}/rename">
${problemNote(problem, ['name'])}
${nameField(typedName, problem)}
<div><button class="quiet">Save the name</button></div>
</form></section>
<section class="sheet parts"><h2>Delete</h2>
<p>A key cannot be shown again or changed. If it may be known to others, create a new one, give that to your program, and delete this one.</p>
<p><a class="button quiet" href="${address}/delete">Delete the key…</a></p></section>`,
  })
}
