# One image with all three programs: `evalfleet`, `evalfleet-coordinator`, `evalfleet-worker`.
#
#   docker build -t evalfleet --build-arg REVISION=$(git rev-parse HEAD) .
#
# That one is for fleets, whose Redis is elsewhere: redis-server is not in it. The target `demo` has one besides, so
# that `evalfleet run` can start a fleet of its own:
#
#   docker build -t evalfleet:demo --target demo .
#   docker run --rm evalfleet:demo run /usr/share/evalfleet/examples/demo.yaml --simulate
#
# BASE is any Debian 12 (pin it by digest: debian:bookworm-slim@sha256:...). Needs nothing of BuildKit.
# Who publishes the image says where its sources are: SOURCE (an address). LICENSES is an SPDX expression.
ARG BASE=debian:bookworm-slim

FROM ${BASE} AS build
WORKDIR /src
# The packages first: this layer changes less often than the sources.
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends make >/dev/null
COPY Makefile ./
COPY .cmake/install-packages .cmake/install-packages
RUN make deps TESTING=OFF
# Compiled under the same path as elsewhere, the sources find what a shared compiler cache has of them.
ARG SRC=/src
WORKDIR ${SRC}
COPY . .
ARG REVISION=unknown
ARG JOBS=2
RUN echo "${REVISION}" > .git-revision \
    && make build TESTING=OFF JOBS=${JOBS} \
    && install -D -s -t /out/usr/local/bin build/release/bin/evalfleet build/release/bin/evalfleet-coordinator \
       build/release/bin/evalfleet-worker \
    && install -D -m 0644 -t /out/usr/share/evalfleet/examples docs/examples/* \
    && install -D -m 0644 -t /out/usr/share/doc/evalfleet LICENSE
# What the programs are linked with, as the packages' own names: nothing to keep up to date by hand.
RUN ldd /out/usr/local/bin/* | awk '$3 ~ "^/" {print $3}' | sort -u | xargs -n1 realpath \
    | while read -r library; do dpkg -S "${library}" || dpkg -S "${library#/usr}"; done 2>/dev/null \
    | cut -d: -f1 | sort -u > /out/usr/share/evalfleet/packages \
    && cat /out/usr/share/evalfleet/packages

FROM ${BASE} AS fleet
ARG BASE
ARG REVISION=unknown
ARG VERSION=0.1.0
ARG CREATED=unknown
ARG SOURCE=""
ARG LICENSES="Apache-2.0"
LABEL org.opencontainers.image.title="evalfleet" \
      org.opencontainers.image.description="A distributed worker fleet that evaluates language models" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.licenses="${LICENSES}" \
      org.opencontainers.image.base.name="${BASE}"
COPY --from=build /out/ /
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends $(cat /usr/share/evalfleet/packages) \
       ca-certificates >/dev/null \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/cache/debconf /var/log/* \
    && mkdir -p /var/lib/evalfleet /tmp \
    && chown 10001:10001 /var/lib/evalfleet
# Nothing writes to the root file system; a store and a /tmp are mounted.
USER 10001:10001
WORKDIR /var/lib/evalfleet
ENV TMPDIR=/tmp
EXPOSE 8080 9090
STOPSIGNAL SIGTERM
# For a coordinator on its usual port; a worker is asked by `health --live --url` and its metrics' address.
# Kubernetes has probes of its own and ignores this.
HEALTHCHECK --interval=30s --timeout=6s --start-period=20s --retries=3 CMD ["evalfleet", "health", "--live"]
ENTRYPOINT ["evalfleet"]
CMD ["--help"]

# `evalfleet run` starts a private redis-server.
FROM fleet AS demo
USER 0:0
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends redis-server >/dev/null \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/cache/debconf /var/log/*
USER 10001:10001

# The last target is the one that is built when none is named.
FROM fleet
