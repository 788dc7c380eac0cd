import { MultiSelect, type MultiSelectProps } from '@mantine/core'
import { useListedSegments } from '../segments/listed-segments'
import { CONTACT_TEXTS as TEXTS } from '../texts/contacts'

/** Segments to which a contact is added. */
export function SegmentsField(props: MultiSelectProps) {
  const segments = useListedSegments()
  return (
    <MultiSelect
      label={TEXTS.toSegment}
      description={TEXTS.toSegmentHint}
      searchable
      clearable
      data={segments.map(({ id, name }) => ({ value: id, label: name }))}
      {...props}
    />
  )
}
