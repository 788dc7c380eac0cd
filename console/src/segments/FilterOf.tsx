import { Json } from '../parts/Json'
import { SEGMENT_TEXTS as TEXTS } from '../texts/segments'
import { FilterWords } from './FilterWords'
import { draftOf } from './filter-draft'
import { useSubjects } from './filter-subjects'

/** A filter in words, or as JSON where it has more levels than the words do. */
export function FilterOf({ filter }: { filter: object }) {
  const { groups } = useSubjects()
  const draft = draftOf(filter)
  return draft === null ? <Json value={filter} label={TEXTS.json} /> : <FilterWords draft={draft} subjects={groups} />
}
