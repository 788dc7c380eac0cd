import { MultiSelect, type MultiSelectProps } from '@mantine/core'
import { useAllRows } from '../api/queries'
import { CONTACT_TEXTS as TEXTS } from '../texts/contacts'

/** Segments to which a contact is added. */
export function SegmentsField(props: MultiSelectProps) {
  const segments = useAllRows('/segments')
  return (
    <MultiSelect
      label={TEXTS.toSegment}
      description={TEXTS.toSegmentHint}
      searchable
      clearable
      data={segments.rows.map(({ id, name }) => ({ value: id, label: name }))}
      {...props}
    />
  )
}
