import { expect, it } from 'vitest'
import { recordSections } from '../../../src/console/domains/record-list.ts'
import type { DomainWithRecords } from '../../../src/modules/domains/domain-rows.repository.ts'

const NOW = new Date(0)
const key = (selector: string, isRecommended: boolean) => ({
  ...({ kind: 'DKIM', type: 'TXT', value: 'v=DKIM1; k=rsa; p=AA', priority: null, status: 'pending', missingSince: NOW } as const),
  ...{ host: `${selector}._domainkey.example.com`, isRecommended, found: ['v=DKIM1; p='] },
})
const DOMAIN: DomainWithRecords = {
  ...{ id: 'i', name: 'example.com', root: 'example.com', region: 'us-east-1', tls: 'opportunistic', returnPath: 'send' },
  ...{
    trackingSubdomain: null,
    trackingHost: null,
    openTracking: false,
    clickTracking: false,
    sending: true,
    receiving: false,
    status: 'pending',
  },
  ...{ ownsName: false, receivingUnprovenUntil: null, createdAt: NOW, askedAt: NOW, checkedAt: NOW, checkDueAt: NOW },
  records: [key('ph1', false), key('ph3', true)],
  keys: [],
}

it('tells several records of keys apart', () => {
  const text = String(recordSections(DOMAIN, NOW))
  expect([...text.matchAll(/<h3>([^<]*?) </g)].map(([, title]) => title)).toEqual(['DKIM ph1', 'DKIM ph3'])
  expect([...text.matchAll(/aria-label="([^"]*)"/g)].map(([, label]) => label)).toEqual([
    'Copy the name of the DKIM ph1 record',
    'Copy the value of the DKIM ph1 record',
    'Found instead of the DKIM ph1 record',
    'Copy the name of the DKIM ph3 record',
    'Copy the value of the DKIM ph3 record',
    'Found instead of the DKIM ph3 record',
  ])
})

it.each([
  ['localhost', true],
  ['mx.posthaste.example', false],
])('warns of records that lead nowhere: %s', (value, isWarned) => {
  const record = { ...key('ph1', false), kind: 'ReturnPathMX', type: 'MX', host: 'send.example.com', value } as const
  const text = String(recordSections({ ...DOMAIN, records: [record] }, NOW))
  expect(text.includes('because MAIL_HOSTNAME is not set')).toBe(isWarned)
})
