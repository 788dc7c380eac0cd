// The forms of a topic. They stand for the bodies of the API's operations, and are judged as those are.
import { type Static, Type } from '@sinclair/typebox'
import { createBodyReader } from '../../lib/validation/body-validator.ts'
import type { TopicRow } from '../../modules/audience/topics/topics.repository.ts'
import { TopicCreate, TopicUpdate } from '../../modules/audience/topics/topics.schema.ts'

const text = Type.Optional(Type.String())

/** As a browser sends it, by the names of the API's fields. */
export const TopicForm = Type.Object({ form_id: text, name: text, description: text, default_subscription: text, visibility: text })
export type TopicForm = Static<typeof TopicForm>

export const NEW_TOPIC: TopicForm = { default_subscription: 'opt_in', visibility: 'public' }

export const formOf = ({ name, description, visibility }: TopicRow): TopicForm => ({ name, description: description ?? '', visibility })

/** @throws Failure with the sentence of the API. */
export const topicCreateOf = (form: TopicForm): Static<typeof TopicCreate> =>
  readCreate({ ...changeable(form), default_subscription: form.default_subscription ?? null })

/** @throws Failure with the sentence of the API. */
export const topicUpdateOf = (form: TopicForm): Static<typeof TopicUpdate> => readUpdate(changeable(form))

const readCreate = createBodyReader(TopicCreate)
const readUpdate = createBodyReader(TopicUpdate)

const changeable = ({ name = '', description = '', visibility }: TopicForm) => ({
  ...{ name: name.trim(), description: description.trim() || null },
  ...(visibility !== undefined && { visibility }),
})
