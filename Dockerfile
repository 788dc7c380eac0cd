# The package of `npm run package`, installed for a service that has its PostgreSQL elsewhere. See docs/deploy.md.
FROM node:24-bookworm-slim AS build
WORKDIR /source
COPY . .
RUN npm ci --no-audit --no-fund && npm run -s package
WORKDIR /app
# Without optional packages: the image has its Node.js, and no PostgreSQL.
RUN tar xzf /source/build/posthaste-*.tgz --strip-components=1 && npm ci --omit=optional --no-audit --no-fund
# A quarter of it: source maps, types, and Prisma's compilers for other databases.
RUN find node_modules \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.[cm]ts' \
  -o -path '*/@prisma/client/runtime/query_compiler_*' ! -name '*.postgresql.*' \) -delete

FROM node:24-bookworm-slim
COPY --from=build /app /app
# What is accepted is kept here until it has left: a volume that all containers of a service share.
RUN install -d -o node -g node -m 0700 /var/lib/posthaste
VOLUME /var/lib/posthaste
ENV NODE_ENV=production DATA_DIR=/var/lib/posthaste HOST=0.0.0.0 INBOUND_HOST=0.0.0.0 SUBMISSION_HOST=0.0.0.0 HEALTH_PORT=3001
# Memory that was used once for something large goes back to the system.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072
WORKDIR /var/lib/posthaste
USER node
EXPOSE 3000 2525 5870
STOPSIGNAL SIGTERM
# The API answers on PORT, a process without it on HEALTH_PORT.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "const { ROLES = 'api', PORT = 3000, HEALTH_PORT } = process.env; fetch(`http://127.0.0.1:${ROLES.includes('api') ? PORT : HEALTH_PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/posthaste.js"]
CMD ["start"]
