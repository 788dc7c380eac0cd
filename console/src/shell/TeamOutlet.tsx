import { Text } from '@mantine/core'
import { Navigate, Outlet } from '@tanstack/react-router'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { useMay, useMe } from '../session/me'
import { SESSION_TEXTS as TEXTS } from '../texts/session'
import { SECTIONS, sectionsOf } from './sections'

/** The page of the address. Someone without a team has only what is their own and, as an operator, what is the installation's. */
export function TeamOutlet({ path }: { path: string }) {
  const me = useMe()
  const [first] = sectionsOf(me, useMay()).filter(({ group }) => group !== 'none')
  const part = path.split('/')[1] ?? ''
  const section = SECTIONS.find((each) => each.path === part)
  const isOfTeam = section !== undefined && section.group !== 'none' && !section.isOperators
  if (me.team !== null || !isOfTeam) return <Outlet />
  if (part === '' && first !== undefined) return <Navigate to={`/${first.path}` as never} replace />
  return (
    <Page title={TEXTS.noTeamTitle}>
      <Text>{TEXTS.noTeam}</Text>
      <PageLink to="/account">{TEXTS.yourAccount}</PageLink>
    </Page>
  )
}
