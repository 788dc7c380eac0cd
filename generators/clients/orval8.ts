import * as api from '../out/orval8.ts'
import { makeTenCalls } from './ten-calls.ts'

/** The answer, if it is one of success: others are thrown by `send`. */
async function answer<Reply extends { status: number; data: unknown }, Status extends Reply['status']>(
  reply: Promise<Reply>,
  status: Status,
): Promise<Extract<Reply, { status: Status }>['data']> {
  const got = await reply
  if (got.status !== status) throw new Error(`The status is ${got.status}`)
  return got.data as Extract<Reply, { status: Status }>['data']
}

await makeTenCalls('orval8', {
  sendEmail: (email) => answer(api.emailsSend(email), 200),
  retrieveEmail: (id) => answer(api.emailsRetrieve(id), 200),
  listEmails: () => answer(api.emailsList(), 200),
  cancelEmail: (id) => answer(api.emailsCancel(id), 200),
  createSegment: (segment) => answer(api.segmentsCreate(segment), 201),
  createTopic: (topic) => answer(api.topicsCreate(topic), 201),
  listTopics: () => answer(api.topicsList(), 200),
  createContact: (contact) => answer(api.contactsCreate(contact), 201),
  importContacts: (fields) => answer(api.contactsImportsCreate(fields), 201),
  retrieveImport: (id) => answer(api.contactsImportsRetrieve(id), 200),
})
