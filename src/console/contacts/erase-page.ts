// Asks for the address of a person before their data is erased, and says what that means.
import { html } from '@remix-run/html-template'
import type { ContactRow } from '../../modules/audience/contacts/contact-rows.repository.ts'
import { consolePage } from '../shell/console-page.ts'
import { type FormProblem, isAbout, PROBLEM_ID, problemNote } from '../shell/form-problem.ts'
import { AUDIENCE_STYLE } from './audience-style.ts'
import { ADDRESS, pathOf, WORDS_LENGTH_MAX } from './contact-words.ts'

export type EraseView = { teamName: string; contact: Pick<ContactRow, 'id' | 'email'>; typed: string; problem: FormProblem | null }

export const erasePage = ({ teamName, contact, typed, problem }: EraseView): string =>
  consolePage({
    title: `Erase ${contact.email}`,
    section: ADDRESS,
    teamName,
    files: [AUDIENCE_STYLE],
    main: html`<p><a href="${pathOf(contact)}">← <bdi>${contact.email}</bdi></a></p>
<section class="sheet parts"><h1>Erase <bdi>${contact.email}</bdi>?</h1>
<ul>
<li>The contact is deleted with its names, properties, choices about topics, segments and events.</li>
<li>Automations stop for it, and what they know of it is removed.</li>
<li>If the address unsubscribed or opted out, that is kept under a hash of it, so that it still applies if the address is added again.</li>
<li>Emails that were sent to the address are kept for as long as your operator keeps emails.</li>
</ul>
<p>This cannot be undone. To keep a copy, <a href="${pathOf(contact)}/export">download all data</a> first.</p>
<form class="fields" method="post" action="${pathOf(contact)}/erase">
${problemNote(problem, ['address'])}
<div><label for="address">Type the address to confirm</label><input type="text" id="address" name="address" value="${typed}" maxlength="${WORDS_LENGTH_MAX}" required autocomplete="off" autocapitalize="off" spellcheck="false"${isAbout(problem, 'address') ? html` aria-invalid="true" aria-describedby="${PROBLEM_ID}" autofocus` : ''}></div>
<div class="choice"><button class="danger">Erase this person</button> <a class="button quiet" href="${pathOf(contact)}">Keep the contact</a></div></form>
</section>`,
  })
