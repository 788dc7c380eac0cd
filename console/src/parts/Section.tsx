import { Card, Group, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** A part of a page with a heading of its own. */
export const Section = ({ title, acts, children }: { title: string; acts?: ReactNode; children: ReactNode }) => (
  <Card withBorder component="section" aria-label={title} h="100%">
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2}>{title}</Title>
        {acts && <Group gap="xs">{acts}</Group>}
      </Group>
      {children}
    </Stack>
  </Card>
)
