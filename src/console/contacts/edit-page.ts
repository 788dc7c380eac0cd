// The address, names and properties of a contact, in a form.
import { html, type SafeHtml } from '@remix-run/html-template'
import type { ContactRow } from '../../modules/audience/contacts/contact-rows.repository.ts'
import { CONTACT_NAME_LENGTH_MAX } from '../../modules/audience/contacts/contacts.schema.ts'
import type { PropertyRow } from '../../modules/audience/properties/properties.repository.ts'
import { consolePage } from '../shell/console-page.ts'
import { type FormProblem, isAbout, PROBLEM_ID, problemNote } from '../shell/form-problem.ts'
import { AUDIENCE_STYLE } from './audience-style.ts'
import { type ContactForm, propertyField } from './contact-forms.ts'
import { ADDRESS, pathOf } from './contact-words.ts'

export type EditView = {
  teamName: string
  contact: Pick<ContactRow, 'id' | 'email'>
  properties: PropertyRow[]
  /** What stands in the form. */
  form: ContactForm
  problem: FormProblem | null
}

export function editPage({ teamName, contact, properties, form, problem }: EditView): string {
  const fields = ['email', 'first_name', 'last_name', ...properties.map(({ key }) => propertyField(key))]
  return consolePage({
    title: `Change ${contact.email}`,
    section: ADDRESS,
    teamName,
    files: [AUDIENCE_STYLE],
    main: html`<p><a href="${pathOf(contact)}">← <bdi>${contact.email}</bdi></a></p>
<section class="sheet parts"><h1>Change <bdi>${contact.email}</bdi></h1>
<form class="fields" method="post" action="${pathOf(contact)}/edit">
${problemNote(problem, fields)}
${field({ name: 'email', label: 'Address', hint: 'Unsubscribe links in emails that were sent before still apply to the former address.' }, { form, problem })}
<div class="pair">${field({ name: 'first_name', label: 'First name' }, { form, problem })}${field({ name: 'last_name', label: 'Last name' }, { form, problem })}</div>
${properties.map(({ key, type }) => field({ name: propertyField(key), label: key, hint: type === 'number' ? 'A number.' : '' }, { form, problem }))}
<div class="choice"><button>Save the contact</button> <a class="button quiet" href="${pathOf(contact)}">Keep it as it is</a></div></form>
</section>`,
  })
}

/** More than is valid, so that the sentence about a long one is that of the API. */
const TYPED_LENGTH_MAX = 4 * CONTACT_NAME_LENGTH_MAX

type Field = { name: string; label: string; hint?: string }

function field({ name, label, hint = '' }: Field, { form, problem }: Pick<EditView, 'form' | 'problem'>): SafeHtml {
  const wrong = isAbout(problem, name) ? html` aria-invalid="true" aria-describedby="${PROBLEM_ID}" autofocus` : ''
  return html`<div><label for="${name}">${label}</label><input type="text" id="${name}" name="${name}" value="${form[name] ?? ''}" maxlength="${TYPED_LENGTH_MAX}" autocomplete="off"${wrong}>
${hint === '' ? '' : html`<p class="note">${hint}</p>`}</div>`
}
