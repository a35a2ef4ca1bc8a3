# syntax=docker/dockerfile:1
# One image for every stage and every command: `docker run claimstream worker extract`.
FROM python:3.11-slim AS build
WORKDIR /src
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY schemas schemas
COPY topics topics
COPY processors processors
COPY inference inference
COPY sinks sinks
COPY streams streams
COPY recall recall
COPY audit audit
RUN python -m venv /opt/claimstream \
    && /opt/claimstream/bin/pip install --no-cache-dir -c constraints.txt .

FROM python:3.11-slim
LABEL org.opencontainers.image.title="claimstream" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN useradd --system --uid 10001 --create-home --home-dir /var/lib/claimstream claimstream
COPY --from=build /opt/claimstream /opt/claimstream
ENV PATH=/opt/claimstream/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    CLAIMSTREAM_LOG_FORMAT=json \
    CLAIMSTREAM_STATE_DIR=/var/lib/claimstream/state \
    CLAIMSTREAM_HEALTH_DIR=/var/lib/claimstream/health \
    CLAIMSTREAM_LANCEDB_URI=/var/lib/claimstream/lancedb
# Made here, so that a named volume mounted on it belongs to the user too.
RUN install -d -o claimstream -g claimstream /var/lib/claimstream/lancedb
USER claimstream
WORKDIR /var/lib/claimstream
# A worker's stages are its arguments; Compose names the stage of each service in its own check.
HEALTHCHECK --interval=15s --timeout=10s --start-period=60s --retries=3 CMD ["claimstream", "health", "--all"]
ENTRYPOINT ["claimstream"]
CMD ["worker", "--all"]
