import { Group, Stack, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { PageLink } from './PageLink'

type PageProps = {
  title: string
  /** The list that the record is of. */
  back?: { to: string; name: string }
  /** Beside the title: its state. */
  state?: ReactNode
  /** Buttons. */
  acts?: ReactNode
  children: ReactNode
}

/** A page: its title, what can be done, and what it shows. */
export function Page({ title, back, state, acts, children }: PageProps) {
  useDocumentTitle(`${title} · Posthaste`)
  return (
    <Stack gap="md" maw={1280} mx="auto">
      {back && (
        <PageLink to={back.to} size="sm" style={{ overflowWrap: 'anywhere' }}>
          ← {back.name}
        </PageLink>
      )}
      <Group justify="space-between" align="center" wrap="wrap">
        <Group gap="sm" miw={0} flex={TITLE}>
          <Title order={1} style={{ overflowWrap: 'anywhere' }}>
            <bdi>{title}</bdi>
          </Title>
          {state}
        </Group>
        {acts && <Group gap="xs">{acts}</Group>}
      </Group>
      {children}
    </Stack>
  )
}

/** A long title takes a second line, so that the buttons stay beside it wherever it has that much room. */
const TITLE = { base: '1 1 auto', sm: '1 1 20rem' }
