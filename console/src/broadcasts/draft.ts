// What is typed in the form of a draft, and the bodies of the API that it stands for.
import type { RecordOf } from '../api/queries'
import { type Content, contentBody, orNull } from '../content/content'
import { addressList } from '../parts/addresses'

export type DraftValues = {
  name: string
  from: string
  reply_to: string
  subject: string
  preview_text: string
  segment_id: string | null
  topic_id: string | null
  rate_per_hour: number | string
  /** How often the content was changed. */
  edits: number
}

export const EMPTY_DRAFT: DraftValues = {
  name: '',
  from: '',
  reply_to: '',
  subject: '',
  preview_text: '',
  segment_id: null,
  topic_id: null,
  rate_per_hour: '',
  edits: 0,
}

export const valuesOf = (broadcast: RecordOf<'/broadcasts/{broadcast_id}'>): DraftValues => ({
  name: broadcast.name,
  from: broadcast.from,
  reply_to: broadcast.reply_to ?? '',
  subject: broadcast.subject,
  preview_text: broadcast.preview_text ?? '',
  segment_id: broadcast.segment_id,
  topic_id: broadcast.topic_id,
  rate_per_hour: broadcast.rate_per_hour ?? '',
  edits: 0,
})

/** What is empty is unset. */
export const bodyOf = (values: DraftValues, content: Content) => ({
  ...(values.name.trim() !== '' && { name: values.name.trim() }),
  from: values.from.trim(),
  subject: values.subject.trim(),
  segment_id: values.segment_id ?? '',
  topic_id: values.topic_id,
  reply_to: values.reply_to.trim() === '' ? null : addressList(values.reply_to),
  preview_text: orNull(values.preview_text),
  ...contentBody(content),
  rate_per_hour: values.rate_per_hour === '' ? null : Number(values.rate_per_hour),
})
