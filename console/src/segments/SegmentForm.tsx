import { TextInput } from '@mantine/core'
import { PageForm } from '../parts/PageForm'
import { type PageFormState, usePageForm } from '../parts/page-form'
import { Section } from '../parts/Section'
import { SEGMENT_TEXTS as TEXTS } from '../texts/segments'
import { type FilterDraft, FilterField, filterDraftOf, filterIn } from './FilterField'
import { useSubjects } from './filter-subjects'

type Segment = { name: string; filter: object | null }
type Values = { name: string; filter: FilterDraft }

type SegmentPageForm = {
  /** What is stored; null for a new one. */
  segment: Segment | null
  save: (segment: Segment, isFilterChanged: boolean) => Promise<{ id: string }>
  done: string
  back: string
}

export function useSegmentForm({ segment, save, done, back }: SegmentPageForm): PageFormState<Values> {
  const { isNumber } = useSubjects()
  const read = (filter: FilterDraft) => filterIn(filter, isNumber)
  const before = filterDraftOf(segment?.filter ?? null)
  return usePageForm({
    initialValues: { name: segment?.name ?? '', filter: before },
    validate: { filter: (filter) => ('isNotJson' in read(filter) ? TEXTS.notJson : null) },
    run: ({ name, filter }: Values) => {
      const written = read(filter)
      const isChanged = JSON.stringify(filter) !== JSON.stringify(before)
      return save({ name: name.trim(), filter: 'filter' in written ? written.filter : null }, isChanged)
    },
    done,
    changes: ['segments', 'contacts'],
    to: ({ id }) => `/segments/${id}`,
    back,
  })
}

/** The name of a segment, and its filter. */
export function SegmentForm({ page, hasFilter }: { page: PageFormState<Values>; hasFilter: boolean }) {
  const { form, error } = page
  const isNotJson = form.errors.filter !== undefined
  return (
    <PageForm {...page} error={isNotJson ? new Error(TEXTS.notJson) : error} act={TEXTS.save}>
      <TextInput label={TEXTS.name} required maw={480} {...form.getInputProps('name')} />
      <Section title={TEXTS.filter}>
        <FilterField
          value={form.values.filter}
          onChange={(filter) => form.setFieldValue('filter', filter)}
          hint={hasFilter ? TEXTS.filterHint : TEXTS.filterHintNew}
          problem={error}
        />
      </Section>
    </PageForm>
  )
}
