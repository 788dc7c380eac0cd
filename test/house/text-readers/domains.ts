// Domains and what the DNS says of them.

import {
  holdsSameKey,
  isDmarcRecord,
  isSpfRecord,
  isValidDmarcRecord,
  permitsIssuer,
  permitsSameSenders,
} from '../../../src/mail/dns-records.ts'
import { parseDomainName, parseHostLabel, registrableDomain } from '../../../src/mail/domain-names.ts'
import { checkBlocklist, checkHostname, checkResolver, checkReverse } from '../../../src/modules/deliverability/checks/hosts.ts'
import {
  announcesMtaSts,
  checkDmarc,
  checkHelloSpf,
  checkMtaSts,
  checkSpfInclude,
  checkTlsReports,
} from '../../../src/modules/deliverability/checks/policies.ts'
import {
  checkCertificate,
  checkInbound,
  checkMailPort,
  checkRelayAnswer,
  mailHosts,
} from '../../../src/modules/deliverability/checks/servers.ts'
import { parseLabel, toNewDomain } from '../../../src/modules/domains/domains.service.ts'
import { compareRecordAnswer } from '../../../src/modules/domains/records/record-check.ts'
import { records } from '../../support/builders/domains.ts'
import { attempt, type TextReaders } from './text-reader.ts'

const NOW = new Date('2026-03-04T05:06:07Z')
const WANTED_SPF = {
  kind: 'SPF',
  type: 'TXT',
  host: 'a.example',
  value: 'v=spf1 mx ip4:192.0.2.1 -all',
  priority: null,
  isRecommended: false,
} as const
const WANTED_MX = { ...WANTED_SPF, kind: 'Receiving', type: 'MX', value: 'mx.example' } as const

export const DOMAIN_READERS: TextReaders = {
  parseDomainName,
  parseHostLabel,
  parseLabel: (text) => attempt(() => parseLabel('tracking_subdomain', text)),
  toNewDomain: (text) => attempt(() => toNewDomain({ name: 'example.com', custom_return_path: text }, [])),
  isSpfRecord,
  'permitsSameSenders of terms': (text) => permitsSameSenders(`v=spf1 ${text}`, WANTED_SPF.value, 'a.example'),
  'permitsSameSenders of an address': (text) => permitsSameSenders(`v=spf1 ip4:${text}`, WANTED_SPF.value, 'a.example'),
  'permitsSameSenders of a host': (text) => permitsSameSenders(`v=spf1 mx:${text}`, WANTED_SPF.value, 'a.example'),
  holdsSameKey: (text) => holdsSameKey(text, 'p=a'),
  'holdsSameKey of a key': (text) => holdsSameKey(`h=${text};p=${text}`, 'p=a'),
  isDmarcRecord,
  'isDmarcRecord of a version': (text) => isDmarcRecord(`v${text}`),
  isValidDmarcRecord: (text) => isValidDmarcRecord(`v=DMARC1;${text}`),
  permitsIssuer: (text) => permitsIssuer([text], '0 issue "a.example"'),
  'permitsIssuer of a value': (text) => permitsIssuer([`0 issue "${text}"`], '0 issue "a.example"'),
  'checkAnswer of a text': (text) => compareRecordAnswer(WANTED_SPF, { kind: 'records', values: [text] }),
  'checkAnswer of many texts': (text) => compareRecordAnswer(WANTED_SPF, { kind: 'records', values: text.match(/.{1,9}/gs) ?? [] }),
  'checkAnswer of many hosts': (text) => compareRecordAnswer(WANTED_MX, { kind: 'records', values: text.match(/.{1,9}/gs) ?? [] }),
  'checkHostname of an alias': (text) =>
    checkHostname('a.example', { a: records('192.0.2.1'), aaaa: records(), alias: records(text) }, true),
  'checkReverse of a name': (text) =>
    checkReverse('192.0.2.1', { ptr: records(text), forward: [{ name: text, answer: records(text) }] }, 'a.example'),
  'checkReverse of many names': (text) => checkReverse('192.0.2.1', { ptr: records(...(text.match(/.{1,9}/gs) ?? [])), forward: [] }, null),
  'checkBlocklist of a reason': (text) =>
    checkBlocklist('a.example', [{ address: '192.0.2.1', answer: records('127.0.0.2'), reason: records(text) }]),
  'checkCertificate of a fault': (text) => checkCertificate('a.example', { kind: 'answered', fault: text, validTo: null, date: null }, NOW),
  mailHosts: (text) => mailHosts(records(text)),
  'checkMailPort of a reply': (text) =>
    checkMailPort('a.example', [{ host: 'a.example', address: '192.0.2.1', kind: 'refused', code: 550, text }], records()),
  'checkInbound of a reply': (text) =>
    checkInbound('a.example', [{ host: 'a.example', address: '192.0.2.1', kind: 'refused', code: 550, text }], records()),
  'checkInbound of a failure': (text) =>
    checkInbound('a.example', [{ host: 'a.example', address: '192.0.2.1', kind: 'unreached', text }], records()),
  'checkMailPort of a failure': (text) =>
    checkMailPort('a.example', [{ host: 'a.example', address: '192.0.2.1', kind: 'unreached', text }], records()),
  checkRelay: (reason) => checkRelayAnswer('a.example', { isUsable: false, isReached: true, reason }),
  checkDmarc: (text) => checkDmarc('a.example', 'a.example', { own: records(`v=DMARC1;${text}`), root: records(text) }),
  announcesMtaSts: (text) => announcesMtaSts(records(text)),
  checkMtaSts: (text) => checkMtaSts('a.example', records(text), null),
  checkTlsReports: (text) => checkTlsReports('a.example', records(`v=TLSRPTv1${text}`)),
  checkResolver: (reason) => checkResolver({ server: '192.0.2.53', answer: { kind: 'unanswered', reason } }),
  checkHelloSpf: (comment) => checkHelloSpf('a.example', [{ address: '192.0.2.1', result: 'permerror', comment }]),
  checkSpfInclude: (comment) =>
    checkSpfInclude('a.example', records(`v=spf1 ${comment}`), [{ address: '192.0.2.1', result: 'permerror', comment }]),
  registrableDomain,
}
