import { Alert, Box, Button, Group, Stack, Text } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type CSSProperties, useMemo, useState } from 'react'
import { answer, api } from '../api/client'
import { keyOf } from '../api/queries'
import { MESSAGE_TEXTS as TEXTS } from '../texts/message'
import { NotLoaded } from './ErrorAlert'
import { fixedWidthOf } from './fixed-width'
import { Loading } from './Loading'

type MessageFrameProps = {
  html: string
  title: string
  height?: number
  width?: number
  /** In pixels: the least room that the mail has. Where the page has less, it is drawn smaller. */
  layoutWidth?: number
  /** Whose images `cid:` stands for. */
  emailId?: string
  receivedEmailId?: string
}

const FRAME = { alignSelf: 'center', overflow: 'hidden' } as const

/** A mail that is wider than its place is drawn smaller, as programs on phones do. */
function inRoom(room: number, height: number, fixed: number): CSSProperties {
  if (room <= 0 || fixed <= room) return { width: '100%', height }
  const scale = room / fixed
  return { width: fixed, height: height / scale, transform: `scale(${scale})` }
}

/** The most that the API shows. */
const SHOWN_LENGTH_MAX = 200_000

/**
 * HTML of a mail in a frame in which nothing of it runs: no scripts, no forms, no cookies, and no images of other machines until someone asks for
 * them. The service makes its document, with a policy of its own.
 */
export function MessageFrame({ html, title, height = 480, width, layoutWidth = 0, emailId, receivedEmailId }: MessageFrameProps) {
  const [hasImages, setImages] = useState(false)
  const fixed = Math.max(
    layoutWidth,
    useMemo(() => fixedWidthOf(html), [html]),
  )
  const { ref, width: room } = useElementSize()
  const preview = useQuery({
    queryKey: keyOf('/previews', { html, hasImages, emailId, receivedEmailId }),
    queryFn: () =>
      answer(
        api.POST('/previews', {
          body: {
            html: html.slice(0, SHOWN_LENGTH_MAX),
            remote_images: hasImages,
            ...(emailId !== undefined && { email_id: emailId }),
            ...(receivedEmailId !== undefined && { received_email_id: receivedEmailId }),
          },
        }),
      ),
    // Its address works once.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    // While someone types, what was shown stays until the next is there.
    placeholderData: keepPreviousData,
  })
  if (preview.error) return <NotLoaded error={preview.error} onRetry={() => void preview.refetch()} />
  if (!preview.data) return <Loading />
  return (
    <Stack gap="xs" ref={ref}>
      {preview.data.has_remote_images && !hasImages && (
        <Alert color="gray">
          <Group justify="space-between">
            {TEXTS.imagesHidden}
            <Button size="xs" variant="default" onClick={() => setImages(true)}>
              {TEXTS.showImages}
            </Button>
          </Group>
        </Alert>
      )}
      <Box w={width ?? '100%'} maw="100%" h={height + 2} bd="1px solid var(--mantine-color-default-border)" bdrs="sm" style={FRAME}>
        <iframe
          key={preview.data.url}
          src={preview.data.url}
          title={title}
          sandbox="allow-popups allow-popups-to-escape-sandbox"
          style={{ ...inRoom(Math.min(width ?? room, room) - 2, height, fixed), border: 0, background: '#fff', transformOrigin: '0 0' }}
        />
      </Box>
      {(preview.data.is_cut || html.length > SHOWN_LENGTH_MAX) && (
        <Text size="sm" c="dimmed">
          {TEXTS.isCut}
        </Text>
      )}
    </Stack>
  )
}
