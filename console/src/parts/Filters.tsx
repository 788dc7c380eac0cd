import { Button, Group, type OptionsFilter, Popover, Select, type SelectProps, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { ListFilter } from 'lucide-react'
import { useState } from 'react'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'
import { SavedViews } from './SavedViews'
import { wordsOf } from './StateBadge'
import { useIsPhone } from './use-is-phone'

export type Filter = { name: string; label: string } & (
  | { kind: 'text' | 'date' }
  | { kind: 'choice'; choices: readonly (string | Choice)[] }
)

/** `hint`: what developers know it by, which is found too. */
type Choice = { value: string; label: string; hint?: string }

type FiltersProps = {
  filters: readonly Filter[]
  values: Readonly<Record<string, string | undefined>>
  onChange: (changed: Record<string, string>) => void
  /** Lists of which views can be saved: `emails`. */
  page?: string
}

const TYPING_MS = 300
/** The filters that stand beside each other; the rest opens from a button. */
const SHOWN = 3
const SHOWN_ON_PHONE = 1
/** With more, one is searched for. */
const CHOICES_SEEN = 20
const CHOICES_WIDTH = 340

/** The filters of a list; what is set stands in the address of the page. */
export function Filters({ filters, values, onChange, page }: FiltersProps) {
  // What is cleared begins anew, with empty fields.
  const [round, setRound] = useState(0)
  const isPhone = useIsPhone()
  const isSet = filters.some(({ name }) => values[name])
  const shown = filters.slice(0, filters.length <= SHOWN + 1 && !isPhone ? filters.length : isPhone ? SHOWN_ON_PHONE : SHOWN)
  const more = filters.slice(shown.length)
  const setOfMore = more.filter(({ name }) => values[name]).length
  const fieldOf = (filter: Filter, isLabeled: boolean) => (
    <FilterField key={filter.name} filter={filter} value={values[filter.name] ?? ''} onChange={onChange} isLabeled={isLabeled} />
  )
  return (
    <Group gap="xs" role="search" key={round} aria-label={TEXTS.filters}>
      {shown.map((filter) => fieldOf(filter, false))}
      {more.length > 0 && (
        <Popover position="bottom-start" width={300} trapFocus withinPortal={false}>
          <Popover.Target>
            <Button
              variant={setOfMore > 0 ? 'light' : 'default'}
              leftSection={<ListFilter size={14} />}
              size="xs"
              h={CONTROL_HEIGHT}
              aria-label={setOfMore > 0 ? TEXTS.filtersSet(setOfMore) : undefined}
            >
              {setOfMore > 0 ? `${TEXTS.filters} · ${setOfMore}` : TEXTS.filters}
            </Button>
          </Popover.Target>
          <Popover.Dropdown aria-label={TEXTS.filters}>
            <Stack gap="sm">{more.map((filter) => fieldOf(filter, true))}</Stack>
          </Popover.Dropdown>
        </Popover>
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
      {isSet && (
        <Button
          variant="subtle"
          size="xs"
          onClick={() => {
            onChange(Object.fromEntries(filters.map(({ name }) => [name, ''])))
            setRound(round + 1)
          }}
        >
          {TEXTS.clear}
        </Button>
      )}
    </Group>
  )
}

/** That of small inputs. */
export const CONTROL_HEIGHT = 30

type FieldProps = { filter: Filter; value: string; onChange: FiltersProps['onChange']; isLabeled: boolean }

function FilterField({ filter, value, onChange, isLabeled }: FieldProps) {
  const { name, label } = filter
  const named = isLabeled ? { label } : { 'aria-label': label, placeholder: label, w: { base: '100%', xs: 190 } }
  if (filter.kind !== 'choice') return <TypedFilter filter={filter} value={value} onChange={onChange} named={named} />
  const choices = filter.choices.map((choice): Choice => (typeof choice === 'string' ? { value: choice, label: wordsOf(choice) } : choice))
  // A link may name what is no choice anymore.
  const isKnown = value === '' || choices.some((choice) => choice.value === value)
  const isLong = choices.length > CHOICES_SEEN
  return (
    <Select
      {...named}
      size="xs"
      data={isKnown ? choices : [...choices, { value, label: value }]}
      value={value === '' ? null : value}
      onChange={(chosen) => onChange({ [name]: chosen ?? '' })}
      clearable
      {...(isLong && { searchable: true, filter: byHintToo, renderOption: WithHint, nothingFoundMessage: TEXTS.noChoice })}
      comboboxProps={{ withinPortal: !isLabeled, ...(isLong && !isLabeled && { width: CHOICES_WIDTH, position: 'bottom-start' }) }}
    />
  )
}

const byHintToo: OptionsFilter = ({ options, search, limit }) => {
  const wanted = search.trim().toLowerCase()
  const has = (words: string | undefined) => words?.toLowerCase().includes(wanted) ?? false
  return options.filter((option) => 'value' in option && (has(option.label) || has((option as Choice).hint))).slice(0, limit)
}

const WithHint: SelectProps['renderOption'] = ({ option }) => (
  <div>
    <Text size="xs">{option.label}</Text>
    <Text size="xs" c="dimmed" ff="monospace">
      {(option as Choice).hint}
    </Text>
  </div>
)

type TypedProps = Pick<FieldProps, 'filter' | 'value' | 'onChange'> & { named: object }

function TypedFilter({ filter, value, onChange, named }: TypedProps) {
  const [typed, setTyped] = useState(value)
  const tell = useDebouncedCallback((text: string) => onChange({ [filter.name]: text }), { delay: TYPING_MS, flushOnUnmount: true })
  return (
    <TextInput
      {...named}
      size="xs"
      type={filter.kind === 'date' ? 'date' : 'text'}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        tell(currentTarget.value)
      }}
    />
  )
}
