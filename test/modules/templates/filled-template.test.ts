import { describe, expect, it } from 'vitest'
import { FILLED_BYTES_MAX, readContent } from '../../../src/mail/rendering/rendering.ts'
import { ASKED_VARIABLES_MAX, askedVariables, type DeclaredVariable, fillTemplate } from '../../../src/modules/templates/filled-template.ts'
import { templateWarnings, WARNINGS_MAX } from '../../../src/modules/templates/template-fields.ts'
import type { VariableValues } from '../../../src/modules/templates/template-variables.schema.ts'

const declared = (key: string, changes: Partial<DeclaredVariable> = {}): DeclaredVariable => ({
  ...{ key, type: 'string', fallbackValue: null },
  ...changes,
})

async function filled(
  texts: { subject?: string; html?: string; text?: string },
  { variables = [], values = {}, bytesMax = 1_000 }: { variables?: DeclaredVariable[]; values?: VariableValues; bytesMax?: number } = {},
) {
  const content = await readContent({ subject: null, html: '', text: null, previewText: null, ...texts })
  return fillTemplate(content, { variables, values, field: 'variables', bytesMax })
}

describe('a template that is filled in', () => {
  it('takes values before fallbacks, and says what is missing once', async () => {
    const variables = [declared('A', { fallbackValue: 'a' }), declared('B'), declared('C', { fallbackValue: '' })]
    expect(
      await filled(
        { subject: '{{{A}}} {{{B}}}', html: '{{{B}}}{{{C}}}', text: '{{{D}}}{{{A|inline}}}' },
        { variables, values: { D: 'd' } },
      ),
    ).toEqual({ subject: 'a ', html: '', text: 'dinline', missing: ['B'], broken: [] })
  })

  it('takes nothing that every object has for a value', async () =>
    expect(await filled({ html: '{{{constructor}}} {{{toString}}} {{{__proto__}}}' })).toMatchObject({
      missing: ['constructor', 'toString', '__proto__'],
    }))

  it('names variables with several lines in the subject, and leaves those in the bodies', async () => {
    const values = { A: 'a\r\nb', B: 'c\nd' }
    expect(await filled({ subject: '{{{A}}}', html: '{{{A}}}', text: '{{{B}}}' }, { values })).toEqual({
      ...{ subject: 'a b', html: 'a\r\nb', text: 'c\nd', missing: [], broken: ['A'] },
    })
  })

  it('has so many bytes of HTML and text at most, together', async () => {
    const values = { A: 'ü'.repeat(5) }
    const texts = { subject: '{{{A}}}', html: '{{{A}}}', text: '{{{A}}}' }
    expect(await filled(texts, { values, bytesMax: 20 })).toMatchObject({ missing: [] })
    expect(await filled(texts, { values, bytesMax: 19 })).toBe('too long')
  })

  it('never has more than the limit of filled in templates, however much is allowed', async () => {
    const values = { A: 'x'.repeat(FILLED_BYTES_MAX / 1_024) }
    const options = { values, bytesMax: 40 * FILLED_BYTES_MAX }
    expect(await filled({ html: '{{{A}}}'.repeat(512), text: '{{{A}}}'.repeat(512) }, options)).toMatchObject({ missing: [] })
    expect(await filled({ html: '{{{A}}}'.repeat(512), text: '{{{A}}}'.repeat(513) }, options)).toBe('too long')
  })

  it.each<[string, DeclaredVariable[], VariableValues, string]>([
    [
      'a value of another type',
      [declared('A', { type: 'list' })],
      { A: {} },
      'The `variables.A` field must be an array, as the template declares.',
    ],
    ['a reserved name', [], { this: 'x' }, 'The `variables.this` field must be left out: this name is reserved for a field of contacts.'],
    [
      'a number that JSON cannot hold',
      [declared('A', { type: 'number' })],
      { A: Number.POSITIVE_INFINITY },
      'The `variables.A` field must be a number of at most 1.7976931348623157e+308.',
    ],
  ])('refuses %s', async (_what, variables, values, message) =>
    expect(filled({ html: 'x' }, { variables, values })).rejects.toMatchObject({ kind: 'validation', message }),
  )
})

it('asks a person for what the template declares, and then for its other variables', () => {
  const variables = [declared('UNUSED', { type: 'number', fallbackValue: 1 }), declared('A')]
  expect(askedVariables(['{{{B|b}}} {{{A}}}', null, '{{{contact.x}}} {{{EMAIL}}} {{{a.b}}} {{{B}}} {{{C}}}'], variables)).toEqual([
    { key: 'UNUSED', type: 'number', fallbackValue: 1 },
    { key: 'A', type: 'string', fallbackValue: null },
    { key: 'B', type: null, fallbackValue: 'b' },
    { key: 'C', type: null, fallbackValue: null },
  ])
  const many = Array.from({ length: ASKED_VARIABLES_MAX + 5 }, (_, at) => `{{{V${at}}}}`).join('')
  expect(askedVariables([many], []).length).toBe(ASKED_VARIABLES_MAX)
})

it('warns of each name once, and of so many at most', async () => {
  const known = { properties: [{ number: 1, key: 'plan', fallbackValue: null }], variables: [{ key: 'email' }] }
  const texts = ['{{{contact.plan}}}{{{contact.properties.plan}}}{{{plan}}}{{{VIEW_URL}}}{{{email}}}', null]
  expect(await templateWarnings(texts, known)).toEqual([])
  expect(await templateWarnings(['{{{contact.x}}}', '{{{contact.x}}}{{{a.b}}}{{{unsubscribe_url}}}{{{view url}}}'], known)).toEqual([
    '`{{{contact.x}}}` names a property that your contacts do not have: create it with POST /contact-properties, or correct the name.',
    '`{{{a.b}}}` cannot be filled in: the key of a variable has no dots.',
    '`{{{unsubscribe_url}}}` is a variable that the template does not declare: for what contacts have, write `{{{UNSUBSCRIBE_URL}}}`.',
    '`{{{view url}}}` is not filled in, because there are spaces in its name or between its braces: remove them.',
  ])
  const many = Array.from({ length: WARNINGS_MAX - 5 }, (_, at) => `{{{contact.v${at}}}}{{v${at}}}`).join('')
  expect((await templateWarnings([many], known)).length).toBe(WARNINGS_MAX)
})
