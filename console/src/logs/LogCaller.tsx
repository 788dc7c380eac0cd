import { Group } from '@mantine/core'
import { useRecord } from '../api/queries'
import { Dimmed } from '../parts/DataList'
import { PageLink } from '../parts/PageLink'
import { useMay } from '../session/me'
import { LOG_TEXTS as TEXTS } from '../texts/logs'

type Caller = { api_key: { id: string; name: string | null } | null; person: { email: string | null } | null }

/** The caller of a request: a person, an API key, or a program with a grant, which has no name of a key. Null if it is not known. */
export function useCallerName(): (log: Caller) => string | null {
  const may = useMay()
  const { data: grants } = useRecord('/oauth/grants', {}, { isEnabled: may('oauth:read') })
  return ({ api_key: key, person }) => {
    if (person !== null) return person.email ?? TEXTS.formerPerson
    if (key === null) return null
    if (key.name !== null) return key.name || TEXTS.unnamedKey(key.id)
    const grant = grants?.data.find(({ id }) => id === key.id)
    return grant === undefined ? TEXTS.deletedKey : TEXTS.programOf(grant.client.name)
  }
}

/** The caller, with a link to its other requests. */
export function LogCaller({ log }: { log: Caller }) {
  const name = useCallerName()(log)
  if (name === null) return null
  return (
    <Group gap="md">
      <bdi>{name}</bdi>
      {typeof log.api_key?.name === 'string' && <Dimmed>{TEXTS.aKey}</Dimmed>}
      {log.api_key !== null && (
        <PageLink to="/logs" search={{ api_key_id: log.api_key.id }}>
          {TEXTS.itsRequests}
        </PageLink>
      )}
    </Group>
  )
}
