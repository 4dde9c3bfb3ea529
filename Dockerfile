# SPDX-License-Identifier: Apache-2.0
# Two images: `work` is a computer to work in (.devcontainer), without the sources; the last one has
# Switchyard built and is its command:
#
#   docker build -t switchyard . && docker run --rm -it -v "$PWD:/here" -w /here switchyard experiments
#
# A test installs the same packages by debootstrap and takes the same steps (make test-long).
FROM debian:trixie AS work
RUN apt-get update && apt-get install -y --no-install-recommends \
        ca-certificates git make gcc libc6-dev python3-venv cargo \
        gdb-multiarch procps sudo \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --shell /bin/bash switchyard \
    && echo 'switchyard ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/switchyard
USER switchyard

FROM work AS built
COPY --chown=switchyard . /home/switchyard/switchyard
WORKDIR /home/switchyard/switchyard
RUN make setup && rm -rf target
ENV PATH=/home/switchyard/switchyard/.venv/bin:$PATH
ENTRYPOINT ["switchyard"]
CMD ["--help"]
