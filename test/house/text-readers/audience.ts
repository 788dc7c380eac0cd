// Contacts, segments, suppressions and automations.
import { contactAddress, contactForm, contactOfPath, contactReference, partOfContactAddress } from '../../../src/mail/address-forms.ts'
import { readContactRow } from '../../../src/modules/audience/imports/imported-contact.ts'
import { parseSegmentFilter } from '../../../src/modules/audience/segments/filters/segment-filters.ts'
import { unknownVariable } from '../../../src/modules/automations/graph/read-graph.ts'
import { readRuleTree } from '../../../src/modules/automations/graph/rules.schema.ts'
import { readStep } from '../../../src/modules/automations/graph/steps.schema.ts'
import { createSuppressionFileReader, suppressibleAddress } from '../../../src/modules/suppressions/suppression-files.ts'
import { attempt, type TextReaders } from './text-reader.ts'

const COLUMNS = { email: 0, firstName: 1, lastName: null, unsubscribed: null, properties: [], names: ['email', 'name'] }

export const AUDIENCE_READERS: TextReaders = {
  partOfContactAddress,
  contactAddress,
  contactForm,
  contactReference,
  contactOfPath: (text) => attempt(() => contactOfPath({ contact_id: text })),
  createSuppressionFileReader: (text) => attempt(() => readSuppressions(text)),
  'createSuppressionFileReader of addresses': (text) => readSuppressions(`email,origin\n${text}`),
  'createSuppressionFileReader of reasons': (text) => readSuppressions(`EmailAddress,Reason\na@example.com,${text}`),
  'createSuppressionFileReader of tags': (text) => readSuppressions(`address,tags\na@example.com,${text}`),
  suppressibleAddress: (text) => suppressibleAddress(text, ['simulator.test']),
  'readContactRow of an address': (text) => readContactRow([text, ''], COLUMNS),
  'readContactRow of a name': (text) => readContactRow(['a@example.com', text], COLUMNS),
  'readStep of a duration': (text) => attempt(() => readStep({ key: text, type: 'delay', config: { duration: text } })),
  'readStep of an email': (text) =>
    attempt(() => readStep({ key: text, type: 'send_email', config: { template: { id: text }, from: text, subject: text, [text]: text } })),
  readRuleTree: (text) =>
    attempt(() =>
      readRuleTree({ type: 'rule', field: 'event.a', operator: 'gt', value: text, [text]: text }, { path: 'config', roots: ['event'] }),
    ),
  unknownVariable: (text) =>
    unknownVariable(
      { key: 'a', type: 'contact_update', config: { first_name: { var: `wait_events.${text}` }, last_name: { var: text } } },
      { properties: new Set(), eventNames: [text] },
    ),
  parseSegmentFilter: (text) => attempt(() => parseSegmentFilter({ field: text, operator: text, value: text, [text]: text })),
}

function readSuppressions(text: string): unknown {
  const reader = createSuppressionFileReader(['simulator.test'])
  return [...reader.push(text), ...reader.end()]
}
