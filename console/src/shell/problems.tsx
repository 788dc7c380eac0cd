import { Alert, Button, Code, Container, Stack, Text, Title } from '@mantine/core'
import { Navigate, useRouterState } from '@tanstack/react-router'
import { ApiError } from '../api/client'
import { PageLink } from '../parts/PageLink'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'
import { movedTo } from './old-addresses'

/** What went wrong, with what to do about it, and the id of the request for whoever runs the service. */
export function Problem({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const requestId = error instanceof ApiError ? error.requestId : null
  return (
    <Alert color="red" title={TEXTS.notLoaded} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text>{error.message}</Text>
        {requestId !== null && (
          <Text size="sm">
            {TEXTS.requestId} <Code>{requestId}</Code>
          </Text>
        )}
        {onRetry && (
          <Button size="xs" variant="light" color="red" onClick={onRetry}>
            {TEXTS.again}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

export const PageProblem = ({ error }: { error: Error }) => (
  <Container p="lg">
    <Problem error={error} onRetry={() => window.location.reload()} />
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
