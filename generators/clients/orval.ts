// Both versions of orval: what they generate is called alike.
import * as orval7 from '../out/orval7.ts'
import * as orval8 from '../out/orval8.ts'
import { type Client, makeTenCalls } from './ten-calls.ts'

await makeTenCalls('orval7', clientOf(orval7))
await makeTenCalls('orval8', clientOf(orval8))

function clientOf(api: typeof orval7 | typeof orval8): Client {
  return {
    sendEmail: (email) => answer(api.emailsSend(email), 200),
    retrieveEmail: (id) => answer(api.emailsRetrieve(id), 200),
    listEmails: () => answer(api.emailsList(), 200),
    cancelEmail: (id) => answer(api.emailsCancel(id), 200),
    createSegment: (segment) => answer(api.segmentsCreate(segment), 201),
    createTopic: (topic) => answer(api.topicsCreate(topic), 201),
    createContact: (contact) => answer(api.contactsCreate(contact), 201),
    importContacts: (fields) => answer(api.contactsImportsCreate(fields), 201),
    retrieveImport: (id) => answer(api.contactsImportsRetrieve(id), 200),
    listContacts: (query) => answer(api.contactsList(query), 200),
  }
}

/** The answer, if it is one of success: others are thrown by `send`. */
async function answer<Reply extends { status: number; data: unknown }, Status extends Reply['status']>(
  reply: Promise<Reply>,
  status: Status,
): Promise<Extract<Reply, { status: Status }>['data']> {
  const got = await reply
  if (got.status !== status) throw new Error(`The status is ${got.status}`)
  return got.data as Extract<Reply, { status: Status }>['data']
}
