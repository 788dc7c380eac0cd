import { Alert, Anchor, Button, Group, Text } from '@mantine/core'
import { useNetwork } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiError } from '../api/client'
import { SESSION_TEXTS as TEXTS } from '../texts/session'

const SIGNED_OUT = 401

/** Says that the session has ended, or that there is no network, and leaves the page and what was typed as they are. */
export function SignedOutNotice() {
  const client = useQueryClient()
  const { online } = useNetwork()
  const [isSignedOut, setSignedOut] = useState(false)
  useEffect(() => {
    const look = (error: unknown) => {
      if (error instanceof ApiError && error.status === SIGNED_OUT) setSignedOut(true)
    }
    const reads = client.getQueryCache().subscribe(({ query }) => look(query.state.error))
    const acts = client.getMutationCache().subscribe(({ mutation }) => look(mutation?.state.error))
    return () => {
      reads()
      acts()
    }
  }, [client])
  if (isSignedOut)
    return (
      <Alert color="orange" role="alert" mb="md">
        <Group justify="space-between">
          <Text>{TEXTS.signedOut}</Text>
          <Group>
            <Anchor href="/console/sign-in" target="_blank" rel="noopener">
              {TEXTS.signIn}
            </Anchor>
            <Button
              size="xs"
              onClick={() => {
                setSignedOut(false)
                void client.resetQueries({ predicate: ({ state }) => state.error !== null })
              }}
            >
              {TEXTS.goOn}
            </Button>
          </Group>
        </Group>
      </Alert>
    )
  return online ? null : (
    <Alert color="orange" role="status" mb="md">
      {TEXTS.offline}
    </Alert>
  )
}
