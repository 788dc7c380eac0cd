import { Group, JsonInput, SegmentedControl, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { ErrorAlert } from '../parts/ErrorAlert'
import { LoadingMark } from '../parts/Loading'
import { countOf } from '../parts/numbers'
import { SEGMENT_TEXTS as TEXTS } from '../texts/segments'
import { FilterBuilder } from './FilterBuilder'
import { useFilterCount } from './filter-count'
import { type DraftGroup, draftOf, EMPTY_DRAFT, filterOf, placeIn } from './filter-draft'
import { useSubjects } from './filter-subjects'

/** As rules in a form, or as a text that is to be JSON. */
export type FilterDraft = { way: 'rules'; draft: DraftGroup } | { way: 'json'; text: string }

const COUNTED_AFTER_MS = 600

/** A stored filter that has no place in the form begins as JSON. */
export function filterDraftOf(filter: object | null): FilterDraft {
  const draft = filter === null ? EMPTY_DRAFT : draftOf(filter)
  return draft === null ? { way: 'json', text: JSON.stringify(filter, null, 2) } : { way: 'rules', draft }
}

/** The filter of a draft, null if it has no rule; or that it is no JSON. */
export function filterIn(value: FilterDraft, isNumber: (key: string) => boolean): { filter: object | null } | { isNotJson: true } {
  if (value.way === 'rules') return { filter: value.draft.rules.length === 0 ? null : filterOf(value.draft, isNumber) }
  if (value.text.trim() === '') return { filter: null }
  try {
    return { filter: JSON.parse(value.text) as object }
  } catch {
    return { isNotJson: true }
  }
}

type FilterFieldProps = { value: FilterDraft; onChange: (value: FilterDraft) => void; hint: string; problem: Error | null }

export function FilterField({ value, onChange, hint, problem }: FilterFieldProps) {
  const { groups, isNumber } = useSubjects()
  const [settled] = useDebouncedValue(value, COUNTED_AFTER_MS)
  const read = filterIn(settled, isNumber)
  const count = useFilterCount('filter' in read ? read.filter : null)
  const asDraft = value.way === 'json' ? draftIn(value) : value.draft

  const changeWay = (way: string) => {
    if (way === value.way) return
    if (way === 'rules' && asDraft !== null) onChange({ way: 'rules', draft: asDraft })
    const written = filterIn(value, isNumber)
    if (way === 'json')
      onChange({ way: 'json', text: 'filter' in written && written.filter !== null ? JSON.stringify(written.filter, null, 2) : '' })
  }
  const refusal = problem ?? count.error
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <SegmentedControl
          transitionDuration={0}
          aria-label={TEXTS.filter}
          data={[
            { value: 'rules', label: TEXTS.ways.rules, disabled: asDraft === null },
            { value: 'json', label: TEXTS.ways.json },
          ]}
          value={value.way}
          onChange={changeWay}
        />
        <Text role="status" c="dimmed">
          {'filter' in read && read.filter !== null && !count.error && <CountWords count={count} />}
        </Text>
      </Group>
      {value.way === 'json' && asDraft === null && value.text.trim() !== '' && 'filter' in read && <Text size="sm">{TEXTS.jsonOnly}</Text>}
      {count.error && problem === null && <ErrorAlert error={count.error} color="orange" />}
      {value.way === 'rules' ? (
        <FilterBuilder
          group={value.draft}
          onChange={(draft) => onChange({ way: 'rules', draft })}
          subjects={groups}
          wrong={refusal === null ? null : placeIn(refusal.message)}
        />
      ) : (
        <JsonInput
          label={TEXTS.json}
          description={TEXTS.jsonHint}
          validationError={TEXTS.notJson}
          formatOnBlur
          autosize
          minRows={8}
          maxRows={24}
          value={value.text}
          onChange={(text) => onChange({ way: 'json', text })}
        />
      )}
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
    </Stack>
  )
}

function draftIn(value: FilterDraft & { way: 'json' }): DraftGroup | null {
  const read = filterIn(value, () => false)
  if (!('filter' in read)) return null
  return read.filter === null ? EMPTY_DRAFT : draftOf(read.filter)
}

/** "finds 300 contacts" */
export function CountWords({ count: { data, isFetching } }: { count: ReturnType<typeof useFilterCount> }) {
  if (!data) return isFetching ? <LoadingMark size="xs" label={TEXTS.counting} /> : null
  const contacts = countOf(data.contacts)
  return data.is_exact ? TEXTS.counted(contacts, data.contacts === 1) : TEXTS.countedSome(contacts)
}
