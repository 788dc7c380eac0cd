// The form of a draft. It stands for the bodies of the API's operations, and is judged as those are.
import { type Static, Type } from '@sinclair/typebox'
import { createBodyReader } from '../../lib/validation/body-validator.ts'
import type { BroadcastRow } from '../../modules/broadcasts/broadcasts.repository.ts'
import { BroadcastCreate, BroadcastUpdate } from '../../modules/broadcasts/broadcasts.schema.ts'

/** As a browser sends it, by the names of the API's fields. */
export const DraftForm = Type.Record(Type.String(), Type.String())
export type DraftForm = Static<typeof DraftForm>

export const formOf = ({
  name,
  segmentId,
  topicId,
  from,
  subject,
  replyTo,
  previewText,
  html,
  text,
  ratePerHour,
}: BroadcastRow): DraftForm => ({
  ...{ name, from, subject },
  segment_id: segmentId,
  topic_id: topicId ?? '',
  reply_to: replyTo.join(', '),
  preview_text: previewText ?? '',
  html: html ?? '',
  text: text ?? '',
  rate_per_hour: ratePerHour === null ? '' : String(ratePerHour),
})

/** @throws Failure with the sentence of the API. */
export const draftCreateOf = (form: DraftForm): Static<typeof BroadcastCreate> => readCreate(fieldsOf(form))

/** @throws Failure with the sentence of the API. */
export const draftUpdateOf = (form: DraftForm): Static<typeof BroadcastUpdate> => readUpdate(fieldsOf(form))

const readCreate = createBodyReader(BroadcastCreate)
const readUpdate = createBodyReader(BroadcastUpdate)

/** Browsers end the lines of texts with CR and LF. What is empty is unset. */
function fieldsOf(form: DraftForm) {
  const typed = (name: string): string => (form[name] ?? '').trim()
  const orNull = (name: string): string | null => typed(name) || null
  const body = (name: string): string | null => (typed(name) === '' ? null : (form[name] ?? '').replaceAll('\r\n', '\n'))
  const replyTo = typed('reply_to')
  return {
    ...(typed('name') !== '' && { name: typed('name') }),
    ...{ segment_id: typed('segment_id'), topic_id: orNull('topic_id') },
    ...{ from: typed('from'), subject: typed('subject'), preview_text: orNull('preview_text') },
    reply_to: replyTo === '' ? null : replyTo.split(',').map((address) => address.trim()),
    ...{ html: body('html'), text: body('text') },
    // A form that was opened before the field was there says nothing of it.
    ...('rate_per_hour' in form && { rate_per_hour: typed('rate_per_hour') === '' ? null : numberIn(typed('rate_per_hour')) }),
  }
}

const GROUPED_NUMBER = /^\d{1,3}(?:[ ,]\d{3})*$/

/** Thousands may be grouped. What is no number is refused as the API refuses it. */
const numberIn = (text: string): number | string =>
  /^\d+$/.test(text) || GROUPED_NUMBER.test(text) ? Number(text.replaceAll(/\D/g, '')) : text
