import { Button, Group, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'
import { SavedViews } from './SavedViews'
import { wordsOf } from './StateBadge'

export type Filter = { name: string; label: string } & (
  | { kind: 'text' | 'date' }
  | { kind: 'choice'; choices: readonly (string | { value: string; label: string })[] }
)

type FiltersProps = {
  filters: readonly Filter[]
  values: Readonly<Record<string, string | undefined>>
  onChange: (changed: Record<string, string>) => void
  /** Lists of which views can be saved: `emails`. */
  page?: string
}

const TYPING_MS = 300
/** Two beside each other on a phone. */
const WIDTH = { base: 'calc(50% - 5px)', xs: 180 }

/** The filters of a list; what is set stands in the address of the page. */
export function Filters({ filters, values, onChange, page }: FiltersProps) {
  // What is cleared begins anew, with empty fields.
  const [round, setRound] = useState(0)
  const isSet = filters.some(({ name }) => values[name])
  return (
    <Group align="flex-end" gap="xs" role="search" key={round}>
      {filters.map((filter) =>
        filter.kind === 'choice' ? (
          <Select
            key={filter.name}
            label={filter.label}
            data={filter.choices.map((choice) => (typeof choice === 'string' ? { value: choice, label: wordsOf(choice) } : choice))}
            value={values[filter.name] ?? null}
            onChange={(value) => onChange({ [filter.name]: value ?? '' })}
            clearable
            w={WIDTH}
          />
        ) : (
          <TypedFilter key={filter.name} filter={filter} value={values[filter.name] ?? ''} onChange={onChange} />
        ),
      )}
      {isSet && (
        <Button
          variant="subtle"
          onClick={() => {
            onChange(Object.fromEntries(filters.map(({ name }) => [name, ''])))
            setRound(round + 1)
          }}
        >
          {TEXTS.clear}
        </Button>
      )}
      {page !== undefined && (
        <SavedViews
          page={page}
          values={values}
          onOpen={(opened) => {
            const names = [...Object.keys(values), ...filters.map(({ name }) => name)]
            onChange({ ...Object.fromEntries(names.map((name) => [name, ''])), ...opened })
            setRound(round + 1)
          }}
        />
      )}
    </Group>
  )
}

function TypedFilter({ filter, value, onChange }: { filter: Filter; value: string; onChange: FiltersProps['onChange'] }) {
  const [typed, setTyped] = useState(value)
  const tell = useDebouncedCallback((text: string) => onChange({ [filter.name]: text }), TYPING_MS)
  return (
    <TextInput
      label={filter.label}
      type={filter.kind === 'date' ? 'date' : 'text'}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        tell(currentTarget.value)
      }}
      w={WIDTH}
    />
  )
}
