// Which column of a file holds what, as a form asks for it and as the API's operation reads it.
import type { Static } from '@sinclair/typebox'
import { createBodyReader } from '../../lib/validation/body-validator.ts'
import { ContactImportCreate } from '../../modules/audience/imports/imports.schema.ts'
import type { PropertyRow } from '../../modules/audience/properties/properties.repository.ts'
import { PROPERTY_KEY_LENGTH_MAX } from '../../modules/audience/properties/properties.schema.ts'

/** The form as a browser sends it. */
export type ImportForm = Readonly<Record<string, string>>

/** Columns that can be chosen. Later ones are ignored, unless they have the name of a field or property. */
export const COLUMNS_SHOWN_MAX = 100

export const FIELDS = { email: 'Address', first_name: 'First name', last_name: 'Last name', unsubscribed: 'Unsubscribed' } as const

export const IGNORED = 'ignored'
export const NEW_TEXT = 'new:string'
export const NEW_NUMBER = 'new:number'

export const columnField = (index: number): string => `column-${index}`
export const propertyChoice = (key: string): string => `property:${key}`

const USUAL_NAMES: Readonly<Record<string, string>> = {
  ...{ email: 'email', 'e-mail': 'email', email_address: 'email', mail: 'email', address: 'email' },
  ...{ first_name: 'first_name', firstname: 'first_name', given_name: 'first_name', forename: 'first_name' },
  ...{ last_name: 'last_name', lastname: 'last_name', family_name: 'last_name', surname: 'last_name' },
  ...{ unsubscribed: 'unsubscribed', opted_out: 'unsubscribed' },
}

/** What a column probably holds, each field at most once. */
export function likelyChoices(names: string[], properties: Pick<PropertyRow, 'key'>[]): ImportForm {
  const taken = new Set<string>()
  const choices = names.slice(0, COLUMNS_SHOWN_MAX).map((name, index) => {
    const folded = name.toLowerCase().replaceAll(' ', '_')
    const field = Object.hasOwn(USUAL_NAMES, folded) ? USUAL_NAMES[folded] : undefined
    const choice = properties.some(({ key }) => key === name) ? propertyChoice(name) : field
    const isFree = choice !== undefined && !taken.has(choice)
    if (isFree) taken.add(choice)
    return [columnField(index), isFree ? choice : IGNORED]
  })
  return Object.fromEntries(choices)
}

/** @throws Failure with the sentence of the API. */
export function importOf(form: ImportForm, names: string[]): Static<typeof ContactImportCreate> {
  const chosen = names.slice(0, COLUMNS_SHOWN_MAX).map((column, index) => ({ column, choice: form[columnField(index)] ?? IGNORED }))
  const columnOf = (field: string): string | null => chosen.find(({ choice }) => choice === field)?.column ?? null
  const properties = chosen.flatMap(({ column, choice }): [string, object][] => {
    if (choice === NEW_TEXT || choice === NEW_NUMBER) return [[keyOf(column), { column, type: choice.slice('new:'.length) }]]
    return choice.startsWith('property:') ? [[choice.slice('property:'.length), { column }]] : []
  })
  const { segment_id: segmentId = '', on_conflict: onConflict = 'upsert' } = form
  return readImport({
    file: 'a file',
    column_map: {
      ...Object.fromEntries(Object.keys(FIELDS).map((field) => [field, columnOf(field)])),
      properties: Object.fromEntries(properties),
    },
    on_conflict: onConflict,
    segments: segmentId === '' ? [] : [segmentId],
  })
}

const readImport = createBodyReader(ContactImportCreate)

/** The key of a new property: what is no letter, digit or underscore becomes an underscore. */
export const keyOf = (column: string): string =>
  column
    .toLowerCase()
    .replace(/[^a-z0-9_]/g, '_')
    .slice(0, PROPERTY_KEY_LENGTH_MAX)
