import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { sentenceOf } from '../api/acts'
import { Section } from '../parts/Section'
import { useGo } from '../shell/address'
import { SEGMENT_TEXTS as TEXTS } from '../texts/segments'
import { type FilterDraft, FilterField, filterDraftOf, filterIn } from './FilterField'
import { useSubjects } from './filter-subjects'

type SegmentFormProps = {
  /** What is stored; null for a new one. */
  segment: { name: string; filter: object | null } | null
  onSave: (segment: { name: string; filter: object | null }) => void
  error: Error | null
  isBusy: boolean
  /** Where one goes who does not save. */
  back: string
}

/** The name of a segment, and its filter. */
export function SegmentForm({ segment, onSave, error, isBusy, back }: SegmentFormProps) {
  const go = useGo()
  const { isNumber } = useSubjects()
  const [name, setName] = useState(segment?.name ?? '')
  const [filter, setFilter] = useState<FilterDraft>(() => filterDraftOf(segment?.filter ?? null))
  const [isNotJson, setNotJson] = useState(false)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const read = filterIn(filter, isNumber)
        setNotJson('isNotJson' in read)
        if ('filter' in read) onSave({ name: name.trim(), filter: read.filter })
      }}
    >
      <Stack>
        {(error || isNotJson) && (
          <Alert color="red" role="alert">
            {isNotJson ? TEXTS.notJson : error && sentenceOf(error)}
          </Alert>
        )}
        <TextInput label={TEXTS.name} required maw={480} value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
        <Section title={TEXTS.filter}>
          <FilterField
            value={filter}
            onChange={setFilter}
            hint={segment !== null && segment.filter !== null ? TEXTS.filterHint : TEXTS.filterHintNew}
            problem={error}
          />
        </Section>
        <Group>
          <Button type="submit" loading={isBusy}>
            {TEXTS.save}
          </Button>
          <Button variant="default" onClick={() => go(back)}>
            {TEXTS.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
