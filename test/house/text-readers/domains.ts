// Domains and what the DNS says of them.
import { judgeBlocklist } from '../../../src/mail/deliverability/blocklists.ts'
import { judgeCertificate } from '../../../src/mail/deliverability/certificates.ts'
import { judgeHostname, judgeReverse } from '../../../src/mail/deliverability/hostnames.ts'
import { judgeInbound, judgeMailPort, judgeRelay, mailHosts } from '../../../src/mail/deliverability/mail-port.ts'
import { announcesMtaSts, judgeDmarc, judgeMtaSts, judgeTlsReports } from '../../../src/mail/deliverability/policies.ts'
import { judgeResolver } from '../../../src/mail/deliverability/resolvers.ts'
import { judgeHelloSpf, judgeSpfInclude } from '../../../src/mail/deliverability/spf-hosts.ts'
import { permitsIssuer } from '../../../src/mail/domains/caa-records.ts'
import { labelOf } from '../../../src/mail/domains/domain-fields.ts'
import { parseDomainName, registrableDomain } from '../../../src/mail/domains/domain-names.ts'
import { parseHostLabel } from '../../../src/mail/domains/host-labels.ts'
import { newDomainOf } from '../../../src/mail/domains/new-domain.ts'
import { judgeAnswer } from '../../../src/mail/domains/record-check.ts'
import { isSpfRecord, permitsSameSenders } from '../../../src/mail/domains/spf-records.ts'
import { holdsSameKey, isDmarcRecord, isValidDmarcRecord } from '../../../src/mail/domains/tag-records.ts'
import { records } from '../../support/builders/dns-answers.ts'
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
  labelOf: (text) => attempt(() => labelOf('tracking_subdomain', text)),
  newDomainOf: (text) => attempt(() => newDomainOf({ name: 'example.com', custom_return_path: text }, [])),
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
  'judgeAnswer of a text': (text) => judgeAnswer(WANTED_SPF, { kind: 'records', values: [text] }),
  'judgeAnswer of many texts': (text) => judgeAnswer(WANTED_SPF, { kind: 'records', values: text.match(/.{1,9}/gs) ?? [] }),
  'judgeAnswer of many hosts': (text) => judgeAnswer(WANTED_MX, { kind: 'records', values: text.match(/.{1,9}/gs) ?? [] }),
  'judgeHostname of an alias': (text) =>
    judgeHostname('a.example', { a: records('192.0.2.1'), aaaa: records(), alias: records(text) }, true),
  'judgeReverse of a name': (text) =>
    judgeReverse('192.0.2.1', { ptr: records(text), forward: [{ name: text, answer: records(text) }] }, 'a.example'),
  'judgeReverse of many names': (text) => judgeReverse('192.0.2.1', { ptr: records(...(text.match(/.{1,9}/gs) ?? [])), forward: [] }, null),
  'judgeBlocklist of a reason': (text) =>
    judgeBlocklist('a.example', [{ address: '192.0.2.1', answer: records('127.0.0.2'), reason: records(text) }]),
  'judgeCertificate of a fault': (text) => judgeCertificate('a.example', { kind: 'answered', fault: text, validTo: null, date: null }, NOW),
  mailHosts: (text) => mailHosts(records(text)),
  'judgeMailPort of a reply': (text) =>
    judgeMailPort('a.example', [{ host: 'a.example', address: '192.0.2.1', kind: 'refused', code: 550, text }], records()),
  'judgeInbound of a reply': (text) =>
    judgeInbound('a.example', [{ host: 'a.example', address: '192.0.2.1', kind: 'refused', code: 550, text }], records()),
  'judgeInbound of a failure': (text) =>
    judgeInbound('a.example', [{ host: 'a.example', address: '192.0.2.1', kind: 'unreached', text }], records()),
  'judgeMailPort of a failure': (text) =>
    judgeMailPort('a.example', [{ host: 'a.example', address: '192.0.2.1', kind: 'unreached', text }], records()),
  judgeRelay: (reason) => judgeRelay('a.example', { isUsable: false, isReached: true, reason }),
  judgeDmarc: (text) => judgeDmarc('a.example', 'a.example', { own: records(`v=DMARC1;${text}`), root: records(text) }),
  announcesMtaSts: (text) => announcesMtaSts(records(text)),
  judgeMtaSts: (text) => judgeMtaSts('a.example', records(text), null),
  judgeTlsReports: (text) => judgeTlsReports('a.example', records(`v=TLSRPTv1${text}`)),
  judgeResolver: (reason) => judgeResolver({ server: '192.0.2.53', answer: { kind: 'unanswered', reason } }),
  judgeHelloSpf: (comment) => judgeHelloSpf('a.example', [{ address: '192.0.2.1', result: 'permerror', comment }]),
  judgeSpfInclude: (comment) =>
    judgeSpfInclude('a.example', records(`v=spf1 ${comment}`), [{ address: '192.0.2.1', result: 'permerror', comment }]),
  registrableDomain,
}
