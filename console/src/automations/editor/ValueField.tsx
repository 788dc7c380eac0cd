import { Group, Select, TextInput } from '@mantine/core'
import { STEP_FORM_TEXTS as TEXTS } from '../../texts/automation-editor'
import { type Fields, isReference, type Reference } from './fields'

export type Value = string | number | boolean | null | Reference | undefined

type ValueFieldProps = {
  label: string
  value: Value
  onChange: (value: Value) => void
  fields: Fields
  /** What it means that there is no value: `undefined`. */
  absent: string
  /** Whether `null` is a value, which empties a field. */
  mayBeEmptied?: boolean
  /** What a typed text stands for. */
  typed?: (text: string) => string | number | boolean
}

const FIELD = 'field '

/** A text, or something that is known only when the step acts: a field of the contact or of the event. */
export function ValueField({ label, value, onChange, fields, absent, mayBeEmptied = false, typed = (text) => text }: ValueFieldProps) {
  const source = value === undefined ? 'absent' : value === null ? 'emptied' : isReference(value) ? `${FIELD}${value.var}` : 'text'
  const groups = [
    { group: TEXTS.contactGroup, fields: [...fields.contact, ...fields.properties] },
    { group: TEXTS.eventGroup, fields: fields.event },
  ]
  const names = new Set(groups.flatMap((one) => one.fields.map(({ name }) => name)))
  const other = isReference(value) && !names.has(value.var) ? value.var : null
  const change = (chosen: string | null) => {
    if (chosen === null || chosen === source) return
    if (chosen === 'absent') onChange(undefined)
    else if (chosen === 'emptied') onChange(null)
    else onChange(chosen.startsWith(FIELD) ? { var: chosen.slice(FIELD.length) } : '')
  }
  return (
    <Group gap="xs" align="flex-end">
      <Select
        label={label}
        data={[
          { value: 'absent', label: absent },
          { value: 'text', label: TEXTS.sources.text },
          ...(mayBeEmptied ? [{ value: 'emptied', label: TEXTS.sources.empty }] : []),
          ...(other === null ? [] : [{ value: `${FIELD}${other}`, label: other }]),
          ...groups
            .filter((one) => one.fields.length > 0)
            .map((one) => ({ group: one.group, items: one.fields.map(({ name, words }) => ({ value: `${FIELD}${name}`, label: words })) })),
        ]}
        value={source}
        onChange={change}
        allowDeselect={false}
        searchable
        flex="1 1 140px"
      />
      {source === 'text' && (
        <TextInput
          aria-label={TEXTS.textOf(label)}
          value={String(value)}
          onChange={({ currentTarget }) => onChange(typed(currentTarget.value))}
          flex="1 1 140px"
        />
      )}
    </Group>
  )
}
