import { Anchor, Button } from '@mantine/core'
import { Download } from 'lucide-react'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { saveFile } from '../parts/save-file'
import { DOMAIN_TEXTS as TEXTS } from '../texts/domains'

type Domain = RecordOf<'/domains/{domain_id}'>

/** Where the records are entered. It is looked up while some are missing. */
export function DnsHost({ domain: { id, status } }: { domain: Domain }) {
  const { data: host } = useRecord('/domains/{domain_id}/dns-host', { path: { domain_id: id } }, { isEnabled: status !== 'verified' })
  return (
    <>
      {host?.name && `${TEXTS.hostedBy(host.zone, host.name)} `}
      {host && host.name === null && host.name_servers.length > 0 && `${TEXTS.nameServers(host.zone, host.name_servers.join(', '))} `}
      {host?.guide_url && (
        <Anchor inherit underline="always" href={host.guide_url} target="_blank" rel="noopener noreferrer">
          {TEXTS.hostGuide}
        </Anchor>
      )}{' '}
      {TEXTS.recordsHint}
    </>
  )
}

/** Most DNS hosts import it: nothing is copied by hand then. */
export function ZoneFile({ domainId }: { domainId: string }) {
  const read = useAct({
    run: () => answer(api.GET('/domains/{domain_id}/zone-file', { params: { path: { domain_id: domainId } } })),
    changes: [],
    onDone: ({ filename, text }) => saveFile({ name: filename, text }),
  })
  return (
    <Button size="xs" variant="default" leftSection={<Download size={14} />} onClick={() => read.mutate()} loading={read.isPending}>
      {TEXTS.zoneFile}
    </Button>
  )
}
