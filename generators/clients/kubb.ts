import {
  contactsCreate,
  contactsImportsCreate,
  contactsImportsRetrieve,
  contactsList,
  emailsCancel,
  emailsList,
  emailsRetrieve,
  emailsSend,
  segmentsCreate,
  topicsCreate,
} from '../out/kubb/index.ts'
import { AUTHORIZATION, makeTenCalls } from './ten-calls.ts'

const CONFIG = { headers: { authorization: AUTHORIZATION } }
const JSON_CONFIG = { headers: { authorization: AUTHORIZATION, 'content-type': 'application/json' } }

await makeTenCalls('kubb', {
  sendEmail: (email) => emailsSend(email, undefined, JSON_CONFIG),
  retrieveEmail: (id) => emailsRetrieve(id, CONFIG),
  listEmails: () => emailsList(undefined, CONFIG),
  cancelEmail: (id) => emailsCancel(id, CONFIG),
  createSegment: (segment) => segmentsCreate(segment, JSON_CONFIG),
  createTopic: (topic) => topicsCreate(topic, JSON_CONFIG),
  createContact: (contact) => contactsCreate(contact, JSON_CONFIG),
  importContacts: (fields) => contactsImportsCreate(fields, CONFIG),
  retrieveImport: (id) => contactsImportsRetrieve(id, CONFIG),
  listContacts: (query) => contactsList(query, CONFIG),
})
