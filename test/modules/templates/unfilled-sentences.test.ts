import { expect, it } from 'vitest'
import { sentenceAboutMissing } from '../../../src/modules/templates/filled-template.ts'

it.each([
  [
    'contact.plan',
    true,
    'The template has `{{{contact.plan}}}`, which is not a field or a property of this contact. Correct the name, create the property with POST /contact-properties, or give the placeholder a fallback.',
  ],
  [
    'contact.plan',
    false,
    'The template has `{{{contact.plan}}}`, which is a field of contacts, and this email is to addresses. Give the placeholder a fallback, or use a variable.',
  ],
  [
    'order.id',
    true,
    'The template has `{{{order.id}}}`, which no variable can fill in, because the key of a variable has no dots. Correct the name.',
  ],
  [
    'RESEND_UNSUBSCRIBE_URL',
    false,
    'The template has `{{{RESEND_UNSUBSCRIBE_URL}}}`, the link with which a contact unsubscribes, and this email is to addresses. Use a variable of another name, with the link of GET /contacts/{contact_id}/unsubscribe-link as its value, or send the template by a broadcast or an automation.',
  ],
  [
    'VIEW_URL',
    true,
    'The template has `{{{VIEW_URL}}}`, the link to an email of a broadcast in a browser. Use a template without this link, or send this one by a broadcast.',
  ],
  ['NAME', true, 'Missing `template.variables.NAME` field: the template has no fallback for it.'],
])('says what is missing: %s, to a contact: %s', (name, isForContact, sentence) =>
  expect(sentenceAboutMissing(name, { isForContact })).toBe(sentence),
)
