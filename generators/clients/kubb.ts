import {
  contactsCreate,
  contactsImportsCreate,
  contactsImportsRetrieve,
  emailsCancel,
  emailsList,
  emailsRetrieve,
  emailsSend,
  segmentsCreate,
  topicsCreate,
  topicsList,
} from '../out/kubb/index.ts'
import { AUTHORIZATION, makeTenCalls, SERVICE_URL } from './ten-calls.ts'

const CONFIG = { baseURL: SERVICE_URL, headers: { authorization: AUTHORIZATION } }
const JSON_CONFIG = { baseURL: SERVICE_URL, headers: { authorization: AUTHORIZATION, 'content-type': 'application/json' } }

await makeTenCalls('kubb', {
  sendEmail: (email) => emailsSend(email, undefined, JSON_CONFIG),
  retrieveEmail: (id) => emailsRetrieve(id, CONFIG),
  listEmails: () => emailsList(undefined, CONFIG),
  cancelEmail: (id) => emailsCancel(id, CONFIG),
  createSegment: (segment) => segmentsCreate(segment, JSON_CONFIG),
  createTopic: (topic) => topicsCreate(topic, JSON_CONFIG),
  listTopics: () => topicsList(undefined, CONFIG),
  createContact: (contact) => contactsCreate(contact, JSON_CONFIG),
  importContacts: (fields) => contactsImportsCreate(fields, CONFIG),
  retrieveImport: (id) => contactsImportsRetrieve(id, CONFIG),
})
