import { Container, Text, Title } from '@mantine/core'
import { Navigate, useRouterState } from '@tanstack/react-router'
import { NotLoaded } from '../parts/ErrorAlert'
import { PageLink } from '../parts/PageLink'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'
import { movedTo } from './old-addresses'

export const PageProblem = ({ error }: { error: Error }) => (
  <Container p="lg">
    <NotLoaded error={error} onRetry={() => window.location.reload()} />
  </Container>
)

/** An address that no page has. */
export function NotFound() {
  const { pathname } = useRouterState({ select: ({ location }) => location })
  const moved = movedTo(pathname)
  return moved === null ? <NothingHere /> : <Navigate to={moved} replace />
}

const NothingHere = () => (
  <Container p="xl">
    <Title order={1}>{TEXTS.notFound}</Title>
    <Text my="md">{TEXTS.nothingHere}</Text>
    <PageLink to="/">{TEXTS.toOverview}</PageLink>
  </Container>
)
