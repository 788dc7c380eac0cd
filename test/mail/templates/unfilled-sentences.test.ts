import { expect, it } from 'vitest'
import { sentenceAboutMissing } from '../../../src/mail/templates/unfilled-sentences.ts'

it.each([
  [
    'contact.plan',
    true,
    'The template has `{{{contact.plan}}}`, which stands for nothing in an email to this contact. Correct the name, create the property at POST /contact-properties, or give the placeholder a fallback.',
  ],
  [
    'contact.plan',
    false,
    'The template has `{{{contact.plan}}}`, which stands for something of a contact, and this email is to addresses. Give the placeholder a fallback, or use a variable.',
  ],
  ['order.id', true, 'The template has `{{{order.id}}}`, which no variable can fill in, because a key has no dots.'],
  ['NAME', true, 'Missing `template.variables.NAME` field: the template has no fallback for it.'],
])('says what is missing: %s, to a contact: %s', (name, isForContact, sentence) =>
  expect(sentenceAboutMissing(name, { isForContact })).toBe(sentence),
)
