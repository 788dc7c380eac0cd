import { describe, expect, it } from 'vitest'
import { contactPlaceholders, contactValues, isOfContact, RESERVED_NAMES } from '../../../src/mail/rendering/contact-placeholders.ts'
import { readHtmlText, readText, render } from '../../../src/mail/rendering/rendering.ts'

const PROPERTIES = [
  { number: 1, key: 'company', fallbackValue: 'your company' },
  { number: 2, key: 'Company', fallbackValue: null },
  { number: 3, key: 'seats', fallbackValue: 0 },
  { number: 4, key: 'contact', fallbackValue: null },
]
const ADA = { email: 'ada@example.com', firstName: 'Ada', lastName: null, properties: { 1: 'Engines & Sons', 3: 12 } }
const NOBODY = { email: 'nobody@example.com', firstName: '', lastName: null, properties: {} }
const LINKS = { unsubscribeUrl: 'https://a.example/u?a=b&c', viewUrl: 'https://a.example/v' }

function rendered(source: string, contact: typeof NOBODY | typeof ADA = ADA, links: Parameters<typeof contactValues>[2] = LINKS) {
  return render(readText(source, 'text'), contactValues(contactPlaceholders(PROPERTIES), contact, links), 10_000)
}

describe('a placeholder of a contact', () => {
  it.each([
    ['{{{contact.email}}} {{{EMAIL}}}', 'ada@example.com ada@example.com', 'nobody@example.com nobody@example.com'],
    ['{{{contact.first_name}}} {{{FIRST_NAME}}}', 'Ada Ada', ' '],
    ['{{{contact.first_name|you}}} {{{FIRST_NAME|you}}}', 'Ada Ada', 'you you'],
    ['{{{contact.last_name}}}{{{LAST_NAME|x}}}', 'x', 'x'],
    ['{{{contact.company}}}', 'Engines & Sons', 'your company'],
    ['{{{contact.properties.company|them}}}', 'Engines & Sons', 'them'],
    ['{{{company}}} {{{COMPANY}}}', 'Engines & Sons Engines & Sons', 'your company your company'],
    ['{{{Company}}}', '', ''],
    ['{{{seats}}} {{{contact.seats|1}}}', '12 12', '0 1'],
    ['{{{contact}}}{{{contact.contact|x}}}', 'x', 'x'],
    ['{{{UNSUBSCRIBE_URL}}}', 'https://a.example/u?a=b&c', 'https://a.example/u?a=b&c'],
    ['{{{RESEND_UNSUBSCRIBE_URL}}}', 'https://a.example/u?a=b&c', 'https://a.example/u?a=b&c'],
    ['{{{SERVICE_UNSUBSCRIBE_URL}}}', 'https://a.example/u?a=b&c', 'https://a.example/u?a=b&c'],
    ['{{{VIEW_URL}}}', 'https://a.example/v', 'https://a.example/v'],
  ])('%s', (source, ofAda, ofNobody) => {
    expect(rendered(source)).toEqual({ text: ofAda, missing: [], broken: [] })
    expect(rendered(source, NOBODY)).toEqual({ text: ofNobody, missing: [], broken: [] })
  })

  it('is missing if the team has no such property, or the message no such link', () => {
    const source = '{{{contact.plan}}} {{{plan}}} {{{contact.plan|x}}} {{{VIEW_URL}}} {{{UNSUBSCRIBE_URL}}} {{{contact.id}}}'
    expect(rendered(source, ADA, { unsubscribeUrl: null, viewUrl: null })).toEqual({
      text: '  x   ',
      missing: ['contact.plan', 'plan', 'VIEW_URL', 'UNSUBSCRIBE_URL', 'contact.id'],
      broken: [],
    })
  })

  it('is escaped in HTML, links too', async () => {
    const html = await readHtmlText('<a href="{{{UNSUBSCRIBE_URL}}}">{{{COMPANY}}}</a>')
    expect(render(html, contactValues(contactPlaceholders(PROPERTIES), ADA, LINKS), 10_000)).toEqual({
      text: '<a href="https://a.example/u?a=b&amp;c">Engines &amp; Sons</a>',
      missing: [],
      broken: [],
    })
  })
})

it('names what no variable can be called', () => {
  expect(RESERVED_NAMES).toEqual([
    'EMAIL',
    'FIRST_NAME',
    'LAST_NAME',
    'UNSUBSCRIBE_URL',
    'RESEND_UNSUBSCRIBE_URL',
    'SERVICE_UNSUBSCRIBE_URL',
    'VIEW_URL',
    'contact',
    'this',
  ])
  expect(['contact.email', 'contact.company', 'EMAIL', 'company'].map(isOfContact)).toEqual([true, true, true, false])
})
