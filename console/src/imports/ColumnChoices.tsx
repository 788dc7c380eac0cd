import { Select, SimpleGrid, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { IMPORT_TEXTS as TEXTS } from '../texts/imports'
import { COLUMNS_SHOWN_MAX, FIELDS, fieldOfColumn, IGNORED, NEW_NUMBER, NEW_TEXT, propertyChoice } from './column-choices'
import type { FileHead } from './csv'

const EXAMPLE_LENGTH_MAX = 40

type ColumnChoicesProps = {
  head: FileHead
  choices: readonly string[]
  onChange: (column: number, choice: string) => void
  properties: readonly { key: string }[]
  /** What the API refused, by its name of the field. */
  errors: Readonly<Record<string, ReactNode>>
}

/** What each column of the file holds, with a value of its first row. */
export function ColumnChoices({ head: { names, example }, choices, onChange, properties, errors }: ColumnChoicesProps) {
  const data = [
    { group: '', items: [{ value: IGNORED, label: TEXTS.ignored }] },
    { group: TEXTS.fieldsGroup, items: FIELDS.map((field) => ({ value: field as string, label: TEXTS.fields[field] })) },
    {
      group: TEXTS.propertiesGroup,
      items: [
        ...properties.map(({ key }) => ({ value: propertyChoice(key), label: key })),
        { value: NEW_TEXT, label: TEXTS.newText },
        { value: NEW_NUMBER, label: TEXTS.newNumber },
      ],
    },
  ]
  return (
    <>
      <Text size="sm" c="dimmed">
        {TEXTS.columnsHint}
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {names.slice(0, COLUMNS_SHOWN_MAX).map((name, index) => (
          <Select
            // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place; two may have one name until the API refuses them
            key={index}
            label={<bdi>{name || TEXTS.noName}</bdi>}
            description={example[index] ? TEXTS.example(example[index].slice(0, EXAMPLE_LENGTH_MAX)) : ' '}
            data={data}
            value={choices[index] ?? IGNORED}
            onChange={(choice) => onChange(index, choice ?? IGNORED)}
            allowDeselect={false}
            {...errorAt(errors, fieldOfColumn(name, choices[index] ?? IGNORED))}
          />
        ))}
      </SimpleGrid>
      {names.length > COLUMNS_SHOWN_MAX && <Text size="sm">{TEXTS.moreColumns(names.length, COLUMNS_SHOWN_MAX)}</Text>}
    </>
  )
}

const errorAt = (errors: ColumnChoicesProps['errors'], field: string | null) =>
  field === null ? {} : { 'data-path': field, error: errors[field] }
