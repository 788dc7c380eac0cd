// What is typed in the form of a template, and the bodies of the API that it stands for.
import type { RecordOf } from '../api/queries'
import { type Content, contentBody, orNull } from '../content/content'
import { addressList } from '../parts/addresses'
import { textOf, typedValue, type VariableType } from './values'

type TypedVariable = { key: string; type: VariableType; fallback: string }

export type TemplateValues = {
  name: string
  alias: string
  from: string
  subject: string
  reply_to: string
  variables: TypedVariable[]
  /** How often the content was changed. */
  edits: number
}

export const EMPTY_TEMPLATE: TemplateValues = {
  name: '',
  alias: '',
  from: '',
  subject: '',
  reply_to: '',
  variables: [],
  edits: 0,
}

export const valuesOf = (template: RecordOf<'/templates/{template_id}'>): TemplateValues => ({
  name: template.name,
  alias: template.alias ?? '',
  from: template.from ?? '',
  subject: template.subject ?? '',
  reply_to: template.reply_to ?? '',
  edits: 0,
  variables: template.variables.map(({ key, type, fallback_value }) => ({ key, type, fallback: textOf(fallback_value) })),
})

/** What is empty is unset. */
export const bodyOf = (values: TemplateValues, content: Content) => ({
  name: values.name.trim(),
  alias: orNull(values.alias.trim()),
  from: orNull(values.from.trim()),
  subject: orNull(values.subject),
  reply_to: values.reply_to.trim() === '' ? null : addressList(values.reply_to),
  ...contentBody(content),
  variables: values.variables.map(({ key, type, fallback }) => ({
    key: key.trim(),
    type,
    fallback_value: fallback === '' ? null : typedValue(type, fallback),
  })),
})
